"""What plays the four roles: models that reply within a contract."""
