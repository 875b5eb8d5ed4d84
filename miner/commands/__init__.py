"""The commands of `miner`, one file each; `miner/cli.py` registers them with their examples."""
