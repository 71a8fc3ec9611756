"""Taking runs back: order, drift, inverses, progress. Pure."""
