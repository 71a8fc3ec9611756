"""Taking runs back, and rehearsing it."""
