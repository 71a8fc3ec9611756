"""The text of a manifest: read with the place of every value, and with all of its faults at once."""
