"""What the ports are made of: one folder a technology, files named after their ports."""
