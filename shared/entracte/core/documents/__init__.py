"""The documents, one a file."""
