"""Batched UCT: many matches in lock-step, one search for each role that has a choice."""

from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import SearchResult, play_matches, search_position, search_positions

__all__ = ["PlayerSpec", "SearchResult", "derive_seed", "play_matches", "search_position", "search_positions"]
