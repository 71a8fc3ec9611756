"""Shapes of answers, for the description. Imported when that is asked for: building models takes long."""
