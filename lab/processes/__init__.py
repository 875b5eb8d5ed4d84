"""How work spreads over processes and machines."""
