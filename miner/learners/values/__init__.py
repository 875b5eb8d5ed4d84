"""Learning what states are worth by temporal differences, without features."""
