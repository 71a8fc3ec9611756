"""Model adapters, each imported only when it is used."""
