"""Strict readers of what models write; each raises `BadModelOutput` and nothing else."""
