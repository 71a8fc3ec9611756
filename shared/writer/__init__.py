"""A sample: an assistant that writes a novel with you (`ENTRACTE_NETWORK=writer:network`)."""

from writer.network import network

__all__ = ["network"]
