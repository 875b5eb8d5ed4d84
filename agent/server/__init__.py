"""The agent as a GGP player over HTTP, and the messages of the protocol, which the referee uses too."""
