"""A sample: answers questions about the code in a folder (`ENTRACTE_NETWORK=analyser:network`)."""

from analyser.network import network

__all__ = ["network"]
