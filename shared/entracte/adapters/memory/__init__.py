"""Everything in memory."""
