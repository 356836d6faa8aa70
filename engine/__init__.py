"""The diagnosis engine; knows neither Slack nor the environment."""
