"""The Slack bot and the command line; the only side that reads the environment."""
