"""What the core needs from the world, one Protocol a file. Each has a contract suite in `entracte.testing`."""
