"""The engine: brings subjects forward by phases, commits what they decide, and does their effects."""
