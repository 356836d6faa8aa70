"""Times in a question's text, read by code, because models do no time arithmetic."""
