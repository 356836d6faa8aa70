"""Stories: whole runs through the real graph, with a scripted model at the port."""
