"""A sample: four agents, a tea merchant's sales, and what is written about tea (`ENTRACTE_NETWORK=sales:network`)."""

from sales.network import network

__all__ = ["network"]
