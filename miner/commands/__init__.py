"""The commands of `miner`, one file each."""
