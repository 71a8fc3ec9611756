"""The moves of a frame: opening, proposing calls, taking their ends in, waiting, ending."""
