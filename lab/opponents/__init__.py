"""Matches against programs of others: by real clocks, or with a fixed effort of our search."""
