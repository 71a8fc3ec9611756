"""The moves of an action: clearing a call, making it, recording its end, asking when nobody knows."""
