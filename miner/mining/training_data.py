"""The training data of mining: counts and samples of some generations of matches, the same for every role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature
from gdl_miner.agent.search.records import MatchBatchRecord, concatenate_records
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counts import FeatureCounts
from gdl_miner.miner.mining.sampling import held_out_matches, thin_records

__all__ = ["TrainingData"]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Counts over all matches of some generations, and a sample of the matches and searches themselves.

    Correlations need counts alone. Weights and itemsets need states, but a sample of them is enough.
    """

    counts: tuple[tuple[FeatureCounts[Feature], ...], ...]  # [generation][role] over all matches
    weights: tuple[float, ...]  # [generation] weight of each of its matches
    matches: MatchBatchRecord  # the sample: whole matches of all generations, oldest first
    held_out: NDArray[np.bool_]  # [match] kept for testing the itemsets that the other matches suggest
    searches: MatchBatchRecord  # weights are fitted to its root visits
    importance: NDArray[np.float64]  # [match of searches] weight of its choices in the fit
    seed: int  # decides which root choices are sampled

    @classmethod
    def of(
        cls,
        records: Sequence[MatchBatchRecord],
        counts: Sequence[Sequence[FeatureCounts[Feature]]],
        config: MiningConfig,
        seed: int,
        *,
        positions: Sequence[MatchBatchRecord] | None = None,
        weights: Sequence[float] | None = None,
    ) -> TrainingData:
        """Put generations together, oldest first, and take a sample of `config.sample` states of their matches.

        Args:
            records: [generation] at least one; they may be samples already if `counts` are of more matches.
            counts: [generation][role] of all matches, see `count_matches`.
            config: how much is sampled and held out, and how generations fade.
            seed: decides the sample and the matches held out.
            positions: [generation] searched training positions; by default weights are fitted to the matches' visits.
            weights: [generation] weight of a match; by default `config.fading` times that of the next generation.

        Raises ValueError where there is not one weight above 0, or not one record of positions, for each generation.
        """
        fading = [config.fading**age for age in range(len(records) - 1, -1, -1)] if weights is None else list(weights)
        if len(fading) != len(records) or any(not weight > 0 for weight in fading):
            raise ValueError(f"{len(records)} records with weights {fading}; give one weight above 0 for each")
        if positions is not None and len(positions) != len(records):
            raise ValueError(f"{len(records)} records with {len(positions)} lessons; give one of each per generation")
        sample = thin_records(records, config.sample, seed)
        matches = concatenate_records(sample)
        searched = sample if positions is None else positions
        return cls(
            counts=tuple(tuple(roles) for roles in counts),
            weights=tuple(fading),
            matches=matches,
            held_out=held_out_matches(matches, config.itemsets.held_out, seed),
            searches=matches if positions is None else concatenate_records(positions),
            importance=np.repeat(np.array(fading, dtype=np.float64), [record.n_matches for record in searched]),
            seed=seed,
        )
