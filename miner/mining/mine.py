"""Mining: from match records to candidate features of every role (thesis 4.3.2, 4.3.3)."""

from collections.abc import Sequence

from agent.reasoner.machine import Machine
from agent.search.records import MatchBatchRecord
from miner.mining.assembly import assemble
from miner.mining.config import MiningConfig
from miner.mining.correlation import correlate
from miner.mining.counting import count_matches
from miner.mining.fit import fit_role
from miner.mining.itemsets import seek_itemsets
from miner.mining.mined import MinedKnowledge, MinedRole
from miner.mining.role_decisions import read_decisions
from miner.mining.role_record import RoleRecord
from miner.mining.training_data import TrainingData

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


def mine_role(data: TrainingData, machine: Machine, role: int, config: MiningConfig) -> MinedRole:
    """Test the features of one role, fit their weights and seek itemsets for them, independently of other roles."""
    correlations = correlate([roles[role] for roles in data.counts], data.weights, config)
    fit = fit_role(RoleRecord(data.searches, machine, role), data.importance, config, data.seed)
    decisions = read_decisions(RoleRecord(data.matches, machine, role), config)
    search = seek_itemsets(correlations.signs, decisions, data.held_out, config)
    return assemble(machine.roles[role], correlations, fit, search)
