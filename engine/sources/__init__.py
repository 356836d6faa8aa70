"""What answers the tools."""
