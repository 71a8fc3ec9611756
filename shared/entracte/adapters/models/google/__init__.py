"""Gemini, by key and on Vertex AI."""
