"""Ready-made parts of a harness: masking, limits on calls, and marks on what nobody vouches for."""

from entracte.harness.mask import Mask

__all__ = ["Mask"]
