from miner.evolution.work import PRICES
from miner.strength.prices import Cost, best_prices, table


def cost(knowledge: str, seconds: float, **amounts: float) -> Cost:
    return Cost("a game", knowledge, seconds, {name: amounts.get(name, 0.0) for name in PRICES})


def test_ratios_are_to_bare_uct_of_the_same_game() -> None:
    bare = cost("none", 2e-6, playout=1.0)
    dear = cost("all in the tree", 3e-6, playout=2.0)
    rows = list(table([bare, dear]))
    assert [row["time_ratio"] for row in rows] == [1.0, 1.5]
    assert [row["work_ratio"] for row in rows] == [1.0, 2.0]


def test_the_best_prices_predict_times_that_follow_from_prices() -> None:
    found = [
        cost("none", 1e-9 * (300 + 20 * steps + 40 * nodes), playout=1.0, step=steps, open=nodes)
        for steps, nodes in ((10.0, 1.0), (30.0, 2.0), (5.0, 7.0), (60.0, 3.0))
    ]
    prices = best_prices(found)
    assert abs(prices["playout"] - 300) < 1
    assert abs(prices["step"] - 20) < 0.1
    assert abs(prices["open"] - 40) < 1
