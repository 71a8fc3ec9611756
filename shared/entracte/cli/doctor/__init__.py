"""Looking at a deployment from a terminal."""
