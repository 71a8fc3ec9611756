"""Replies from a file, and recording them."""
