"""The policy manifest: what each tool may do to the world, how it is undone, and who has to agree."""
