"""What the commands of `miner` do, one file each; `miner/cli.py` gives them their options."""
