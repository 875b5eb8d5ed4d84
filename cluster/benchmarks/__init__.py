"""How fast the cluster is: many workers simulated, a few measured."""
