"""Who meets whom, where work runs, ratings and equal work."""
