"""The engine and what it runs in."""
