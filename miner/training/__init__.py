"""Learning from games in tasks of their own: rounds of self-play, and forages of a population."""

from gdl_miner.miner.training.shards import train_shard
from gdl_miner.miner.training.start import weights_from

__all__ = ["train_shard", "weights_from"]
