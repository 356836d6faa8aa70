"""The schema's history, one version per file."""
