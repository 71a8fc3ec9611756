"""What is read of runs that have been made, on this machine or behind an API."""
