"""Placeholders in JSON values: where they stand, and what is put in their place. Pure."""
