"""Speed of the cluster: simulated for many workers, measured for a few."""
