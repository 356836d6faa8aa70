"""A small system that really runs and really fails, and the recorder of what its monitoring saw."""
