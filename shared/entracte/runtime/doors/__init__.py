"""The functions' front: who may come in, and how a request becomes a message."""
