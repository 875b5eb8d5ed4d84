"""Measurements of the strength of knowledge at equal time, and of whether equal work takes equal time."""
