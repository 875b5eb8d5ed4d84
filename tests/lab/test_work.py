import pytest

from gdl_miner.agent.features import FeatureAbsMove, WeightedFeature
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.play.cost_model import OPERATION_COSTS
from lab.speed.work import MeasuredCost, file_costs, fitted_costs, ratios
from tests.knowledge.plain import knowledge_of


def cost(knowledge: str, seconds: float, **amounts: float) -> MeasuredCost:
    return MeasuredCost("a game", knowledge, seconds, {name: amounts.get(name, 0.0) for name in OPERATION_COSTS})


def test_ratios_are_to_bare_uct_of_the_same_game() -> None:
    bare = cost("none", 2e-6, playout=1.0)
    dear = cost("all in the tree", 3e-6, playout=2.0)
    rows = list(ratios([bare, dear]))
    assert [row["time_ratio"] for row in rows] == [1.0, 1.5]
    assert [row["work_ratio"] for row in rows] == [1.0, 2.0]


def test_fitted_costs_predict_times_that_follow_from_costs() -> None:
    found = [
        cost("none", 1e-9 * (300 + 20 * steps + 40 * nodes), playout=1.0, step=steps, open=nodes)
        for steps, nodes in ((10.0, 1.0), (30.0, 2.0), (5.0, 7.0), (60.0, 3.0), (0.0, 9.0), (90.0, 0.0))
    ]
    fitted = fitted_costs(1000 * found)  # the more measurements, the less the present costs count
    for each in found:
        predicted = sum(fitted[name] * amount for name, amount in each.amounts.items())
        assert predicted == pytest.approx(1e9 * each.seconds, rel=0.03)


def test_costs_that_times_do_not_tell_apart_keep_their_proportion() -> None:
    always_together = [
        cost(
            "none", 1e-9 * size, playout=1.0, step=size / OPERATION_COSTS["step"], score=size / OPERATION_COSTS["score"]
        )
        for size in (3e4, 1e5, 3e5)
    ]
    fitted = fitted_costs(always_together)
    assert fitted["step"] / fitted["score"] == pytest.approx(OPERATION_COSTS["step"] / OPERATION_COSTS["score"])
    assert fitted["step"] < OPERATION_COSTS["step"]


def test_files_are_measured_beside_bare_uct() -> None:
    machine = load_machine("tictactoe.ext")
    features = [[WeightedFeature(FeatureAbsMove(moves[0]), 1.0)] for moves in machine.moves]
    bare, known = file_costs(machine, {"best.xml": knowledge_of(machine, features)}, playouts=10)
    assert (bare.knowledge, known.knowledge) == ("none", "best.xml")
    assert min(bare.seconds, known.seconds) > 0
    assert bare.amounts["score"] == 0 < known.amounts["score"]
