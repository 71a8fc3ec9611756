"""A network in this process: no cloud, no key."""
