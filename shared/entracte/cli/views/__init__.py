"""Runs, steps, gates, undos and events as people read them."""
