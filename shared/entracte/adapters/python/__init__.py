"""Tools that are Python functions of the same process."""
