"""The table as one page without a server: a file that plays a game in any browser, offline."""

from gdl_miner.agent.table.offline.page import playable_page

__all__ = ["playable_page"]
