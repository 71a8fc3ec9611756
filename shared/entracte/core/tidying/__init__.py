"""Keeping state within its room, item by item."""
