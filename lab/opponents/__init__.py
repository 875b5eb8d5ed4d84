"""Matches with real clocks between the player as a GGP server and programs of others, as one table."""
