"""The player as a GGP player over HTTP, and the messages it shares with the referee."""
