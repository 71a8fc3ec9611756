"""Who is calling: what proves it, and what follows from it."""
