"""Sweeps: a run for each of many games, and one table of what came of them."""
