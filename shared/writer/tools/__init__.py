"""The tools of the writing assistant."""
