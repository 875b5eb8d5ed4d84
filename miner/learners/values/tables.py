"""The table of a learner of values: training.csv, a row for each step."""

from __future__ import annotations

from gdl_miner.miner.learners.curve.tables import curve_columns

__all__ = ["TRAINING", "TRAINING_FILE"]

TRAINING_FILE = "training.csv"
TRAINING = curve_columns("discount")
