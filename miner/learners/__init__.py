"""Learning methods: each decides what a run does next and uses the results."""
