"""The commands of `agent`, by what they are about: rules, a game, its engine, a match, players over HTTP."""
