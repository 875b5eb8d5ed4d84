"""Matches that were played, read again: checked against the rules, and searched for the moves that lost value."""

from gdl_miner.agent.review.kept_match import KeptMatch, KeptSearch, read_kept_match
from gdl_miner.agent.review.page import review_page
from gdl_miner.agent.review.replayed import replayed_steps
from gdl_miner.agent.review.review import (
    Cause,
    Review,
    ReviewedMove,
    ReviewSettings,
    choices,
    deep_playouts,
    review_match,
    reviewed_role,
    usual_playouts,
)

__all__ = [
    "Cause",
    "KeptMatch",
    "KeptSearch",
    "Review",
    "ReviewSettings",
    "ReviewedMove",
    "choices",
    "deep_playouts",
    "read_kept_match",
    "replayed_steps",
    "review_match",
    "review_page",
    "reviewed_role",
    "usual_playouts",
]
