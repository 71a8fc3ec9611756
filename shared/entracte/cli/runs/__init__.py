"""Runs from their start to their end, with what a person sees of them and says to them meanwhile."""
