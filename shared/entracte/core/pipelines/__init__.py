"""Agents in sequence: each stage is a call of an agent, with a frame of its own."""
