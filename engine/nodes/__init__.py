"""The graph's nodes: one file each, functions of (run, deps) that return their one thing."""
