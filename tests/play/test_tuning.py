from gdl_miner.miner.play.tuning import CANDIDATES, USUAL, Tuning


def told(strength: dict[float, float]) -> Tuning:
    """Return a finished tuning in which the constant of the greater strength wins every match."""
    tuning = Tuning(2, 16, seed=1)
    constants = (USUAL, *CANDIDATES)
    while matches := tuning.ask():
        tuning.tell(
            {
                each.id: [100, 0]
                if strength[constants[each.seats[0]]] > strength[constants[each.seats[1]]]
                else [0, 100]
                for each in matches
            }
        )
    return tuning


def test_the_strongest_constant_is_found() -> None:
    strength = {c: -abs(c - 57.0) for c in (USUAL, *CANDIDATES)}
    assert told(strength).uct_c == 57.0


def test_the_usual_constant_stays_where_none_is_stronger() -> None:
    strength = {c: -abs(c - USUAL) for c in (USUAL, *CANDIDATES)}
    assert told(strength).uct_c == USUAL


def test_players_differ_in_their_constant_alone() -> None:
    players = Tuning.players(100, 1.0)
    assert [player.parameters.uct_c for player in players] == [USUAL, *CANDIDATES]
    assert {player.playouts for player in players} == {100}


def test_the_report_names_every_candidate_with_its_matches() -> None:
    report = told({c: c for c in (USUAL, *CANDIDATES)}).as_json()
    assert [each["uct_c"] for each in report["candidates"]] == list(CANDIDATES)
    assert report["uct_c"] > USUAL
    assert all(each["n"] > 0 for each in report["candidates"])
