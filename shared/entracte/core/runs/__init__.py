"""The moves of a run from outside its phases: starting and cancelling."""
