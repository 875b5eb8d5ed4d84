"""The table of expert iteration: expert.csv, a row for each step."""

from __future__ import annotations

from gdl_miner.miner.learners.curve.tables import curve_columns

__all__ = ["EXPERT", "EXPERT_FILE"]

EXPERT_FILE = "expert.csv"
EXPERT = curve_columns(
    "features",  # of the apprentice; `weights` counts those that are in its knowledge file
    "cross_entropy",  # nats per example, of the apprentice in the step's games, before it has learned from them
    "expert_entropy",  # nats per example; no apprentice has a smaller cross-entropy
)
