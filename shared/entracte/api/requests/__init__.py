"""What requests carry, and what the routes are given of it."""
