"""The apprentice of expert iteration: a softmax policy over features, how it learns from searches and how it grows."""

from gdl_miner.miner.apprentice.atoms import find_atoms
from gdl_miner.miner.apprentice.descent import DescentSettings
from gdl_miner.miner.apprentice.experience import Experience
from gdl_miner.miner.apprentice.growth import GROWTHS, GrowthKind
from gdl_miner.miner.apprentice.policy import SoftmaxPolicy
from gdl_miner.miner.apprentice.training import PolicyError, PolicyTraining, TrainedPolicy, train_policy
from gdl_miner.miner.apprentice.transfer import CarriedOver, carry_over

__all__ = [
    "GROWTHS",
    "CarriedOver",
    "DescentSettings",
    "Experience",
    "GrowthKind",
    "PolicyError",
    "PolicyTraining",
    "SoftmaxPolicy",
    "TrainedPolicy",
    "carry_over",
    "find_atoms",
    "train_policy",
]
