"""Deciding and answering gates from outside their runs."""
