"""The table of a learner of features: gifl.csv, a row for each step."""

from __future__ import annotations

from gdl_miner.miner.gifl import FeatureSide
from gdl_miner.miner.learners.curve.tables import curve_columns

__all__ = ["GIFL", "GIFL_FILE", "SHOWN", "SIDES"]

GIFL_FILE = "gifl.csv"
# Columns with the features of all games so far; `weights` counts one for each of their moves.
SIDES: tuple[FeatureSide, ...] = ("offensive", "defensive", "losing")
SHOWN = (*SIDES, "dropped")  # features that the matches of the step have shown to be poor
GIFL = curve_columns(
    "decided",  # games that taught
    "variants",  # states that were asked about
    *SHOWN,
)
