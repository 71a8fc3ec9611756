"""Long-term memory: what is worth keeping of a conversation, and what of it matters now. Pure."""
