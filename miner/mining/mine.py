"""Mining: from match records to candidate features of every role (thesis 4.3.2, 4.3.3)."""

from collections.abc import Sequence

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.miner.mining.assembly import assemble
from gdl_miner.miner.mining.candidates import Candidate
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.correlation import correlate
from gdl_miner.miner.mining.counting import count_matches
from gdl_miner.miner.mining.fit import fit_role
from gdl_miner.miner.mining.itemsets import ItemsetSearch, seek_itemsets
from gdl_miner.miner.mining.mined import MinedKnowledge, MinedRole
from gdl_miner.miner.mining.role_decisions import read_decisions
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.mining.training_data import TrainingData

__all__ = ["mine", "mine_role"]


def mine(
    records: Sequence[MatchBatchRecord],
    machine: Machine,
    config: MiningConfig | None = None,
    *,
    seed: int,
    positions: Sequence[MatchBatchRecord] | None = None,
    weights: Sequence[float] | None = None,
) -> MinedKnowledge:
    """Count what fired in the records of some generations, and mine the counts and a sample of the states.

    `TrainingData.of` documents the records, positions and weights. Matches of equal weight may be divided among
    records at will.
    """
    config, names = config or MiningConfig(), machine.roles
    if not records:
        nothing = [MinedRole((), 0, 0, 0.0, (f"{name}: no records",)) for name in names]
        return MinedKnowledge.of(names, nothing)
    counts = [count_matches(record, machine, config) for record in records]
    data = TrainingData.of(records, counts, config, seed, positions=positions, weights=weights)
    return MinedKnowledge.of(names, [mine_role(data, machine, role, config) for role in range(len(names))])


def mine_role(
    data: TrainingData, machine: Machine, role: int, config: MiningConfig, candidates: Sequence[Candidate] = ()
) -> MinedRole:
    """Test the features of one role, fit their weights and seek itemsets for them, independently of other roles.

    `candidates` are features with conditions that were found elsewhere and take part in the fit.
    Nothing is mined for a role whose features another one owns. Features that stand for images have no itemsets,
    because what holds in a state does not tell for which of the images it would have to hold.
    """
    sharing = sharing_of(machine, config.symmetries)
    if sharing.owners[role] != role:
        return MinedRole((), 0, 0, 0.0, ())
    if sharing.keeping(role):
        config = config.without_itemsets()
    correlations = correlate([roles[role] for roles in data.counts], data.weights, config)
    views = sharing.views(role)
    searched = RoleRecord(sharing.pooled(data.searches, role), machine, role)
    fit = fit_role(searched, sharing, np.tile(data.importance, views), config, data.seed, candidates)
    search = ItemsetSearch()
    if config.itemsets.features:
        decisions = read_decisions(RoleRecord(sharing.pooled(data.matches, role), machine, role), sharing, config)
        search = seek_itemsets(correlations.signs, decisions, np.tile(data.held_out, views), config)
    return assemble(machine.roles[role], correlations, fit, search)
