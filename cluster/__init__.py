"""The miner's work on many processes or machines, with Ray."""
