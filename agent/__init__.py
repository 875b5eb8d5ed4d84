"""The player: rules, reasoner, search and knowledge of the GDL knowledge miner."""
