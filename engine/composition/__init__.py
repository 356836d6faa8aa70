"""From what was verified to what is said: allowed material, the fixed template, the check of a model's words."""
