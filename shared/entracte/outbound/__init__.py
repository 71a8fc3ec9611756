"""Connections to addresses that somebody else names: an author's notifier, a page that an agent asks for."""
