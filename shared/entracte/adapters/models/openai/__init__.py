"""Any server that speaks chat completions."""
