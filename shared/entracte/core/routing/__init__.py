"""Which agent answers a message, in networks that ask for it."""
