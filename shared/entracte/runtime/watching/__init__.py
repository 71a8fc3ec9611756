"""Telling people what happens in a run: from the journal, once and in order, and while it is being written."""
