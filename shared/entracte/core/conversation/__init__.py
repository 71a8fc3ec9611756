"""What a session remembers of what was said: the first messages, a running summary, the latest ones. Pure."""
