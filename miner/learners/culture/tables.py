"""The table of a learner of culture: culture.csv, a row for each step."""

from __future__ import annotations

from gdl_miner.miner.learners.curve.tables import curve_columns

__all__ = ["CULTURE", "CULTURE_FILE"]

CULTURE_FILE = "culture.csv"
CULTURE = curve_columns(
    "fitness",  # of the fittest player of each role
    "beliefs",  # number of states believed in
)
