"""The apprentice of expert iteration: a softmax policy over features, how it learns from searches and how it grows."""

from miner.apprentice.atoms import find_atoms
from miner.apprentice.descent import DescentSettings
from miner.apprentice.experience import Experience
from miner.apprentice.growth import GROWTHS, GrowthKind
from miner.apprentice.policy import SoftmaxPolicy
from miner.apprentice.training import PolicyError, PolicyTraining, TrainedPolicy, train_policy
from miner.apprentice.transfer import CarriedOver, carry_over

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
