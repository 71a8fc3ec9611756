"""What callers can do: the services behind HTTP, command line, links and Python."""
