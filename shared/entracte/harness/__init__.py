"""Ready-made parts of a harness: masking, limits on calls, and marks on what nobody vouches for."""

from entracte.harness.arguments import ArgumentRule, ArgumentRules
from entracte.harness.blast_radius import BlastRadius
from entracte.harness.mask import Mask
from entracte.harness.only_tools import OnlyTools
from entracte.harness.untrusted import MarkUntrusted

__all__ = ["ArgumentRule", "ArgumentRules", "BlastRadius", "MarkUntrusted", "Mask", "OnlyTools"]
