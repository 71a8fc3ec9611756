"""The sample network: a support desk on a real SQLite database (`ENTRACTE_NETWORK=crm:network`)."""

from crm.network import network

__all__ = ["network"]
