"""Edits of a text: reading them, finding their places, applying all of them or none, showing what they change. Pure."""
