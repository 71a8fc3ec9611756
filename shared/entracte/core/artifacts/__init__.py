"""Artifacts: which are on the desk, how they are called, which results become one. Pure."""
