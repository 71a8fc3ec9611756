"""Masking at the edges: what comes in is masked before it is decided on, and opened again for the tools alone."""
