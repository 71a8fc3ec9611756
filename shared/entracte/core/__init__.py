"""The pure core: documents, decisions and their vocabulary. No network, clock, randomness or environment."""
