"""Speed tables of many games beside the figures of other systems: `scripts/lab`."""
