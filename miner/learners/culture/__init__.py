"""Cultural coevolution: species of players that learn values, mate, lay pheromone and share beliefs (Sharma 2009)."""
