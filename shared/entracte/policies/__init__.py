"""Finished policies for servers that many people use. `entracte init` takes one where a server's tools match it."""
