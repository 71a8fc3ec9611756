"""What makes runs, on this machine or behind an API, and what is given to it."""
