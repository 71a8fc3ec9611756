"""The tools of the tea merchant's desk."""
