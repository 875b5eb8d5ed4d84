"""The library for Python programs: games, their states, searches, knowledge, matches and learning by plain names.

`gdl_miner` itself has these names, and loads their modules on first use.
"""
