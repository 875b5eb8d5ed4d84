"""Ways to learn: each decides what a run does next and uses the results."""
