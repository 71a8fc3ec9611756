"""The command line ``entracte``."""
