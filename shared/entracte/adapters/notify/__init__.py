"""Ways of telling people that a gate waits for them."""
