"""What a model may call: typed arguments in, redacted and citable output out."""
