"""The phases: decide and conclude of each, pure functions of documents, message and the time passed in."""
