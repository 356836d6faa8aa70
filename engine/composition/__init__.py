"""From what was verified to what is said: allowed material, template, and the check of a model's words."""
