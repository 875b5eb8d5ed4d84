"""Matches between players: pairings, tournaments, executors, ratings and equal work."""
