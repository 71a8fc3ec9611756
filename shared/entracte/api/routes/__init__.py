"""What callers ask for: one file for each kind of thing."""
