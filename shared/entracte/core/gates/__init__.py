"""Gates: opening them, taking votes, and what a decision does to the run."""
