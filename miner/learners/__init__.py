"""Ways to learn: each decides what a run does next, and what comes of it."""
