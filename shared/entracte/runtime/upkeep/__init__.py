"""What looks after runs from time to time: what is due, what is over, what nobody could read."""
