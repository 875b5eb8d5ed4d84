"""`miner score` measures the strength of a knowledge file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import Game, Json, SeedOption
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Parameters, read_knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLAYOUTS, MAX_PLIES
from gdl_miner.agent.player.named_player import knowledge_of_player
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.released import knowledge_file
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.commands.plugin_players import plugin_of_player, resolved_player, scored_in_python
from gdl_miner.miner.commands.workplace import shown_progress
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.player_names import twin_of
from gdl_miner.miner.play.scoring import Equal, ScoreReport, score_equally
from gdl_miner.miner.results.json_file import read_object
from gdl_miner.miner.results.store import TUNING


@dataclass(frozen=True)
class BareConstant:
    """The UCB1 constant of bare UCT, and where it comes from."""

    uct_c: float
    tuned_in: Path | None  # the file of the run that found it; None: it is the usual constant

    @property
    def words(self) -> str:
        """Return a sentence about the constant, without a stop."""
        if self.tuned_in is None:
            return f"bare UCT has the usual constant of {self.uct_c:g}; there is no {TUNING} beside the file"
        return f"bare UCT has a constant of {self.uct_c:g}, as tuned in {self.tuned_in}"


def bare_constant(knowledge: Path) -> BareConstant:
    """Return the constant that was tuned in the run of a knowledge file; the usual one where nothing was tuned.

    Raises ConfigError where the file beside the knowledge is damaged.
    """
    path, advice = knowledge.parent / TUNING, "restore it, or give --uct-c"
    if not path.exists():
        return BareConstant(Parameters.uct_c, None)
    found = read_object(path, advice).get("uct_c")
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= MAX_FACTOR:
        raise ConfigError(f"{path}: uct_c: a number from 0 to {MAX_FACTOR} is expected, not {found!r}; {advice}")
    return BareConstant(float(found), path)


_BARE, _BARE_WORDS = "uct", "bare UCT"
_FILE, _TWIN, _FILE_TWIN = "the file", "its twin", "the file against its twin"


def score(
    game: Game,
    knowledge: Annotated[
        Path, typer.Option(help="The knowledge to score: a file, or a level of agent knowledge list.")
    ],
    matches: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches to play, in pairs with roles swapped.")],
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of the opponent.")],
    against: Annotated[
        str,
        typer.Option(
            help="uct: bare UCT; another knowledge file; or an opponent or evaluator of another package, as "
            "minimax+depth=3 or uct:material; miner plugins lists them."
        ),
    ] = _BARE,
    equal: Annotated[Equal, typer.Option(help="The quantity that both sides get equally.")] = Equal.work,
    equal_time: Annotated[bool, typer.Option("--equal-time", help="The same as --equal time.")] = False,
    uct_c: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=MAX_FACTOR,
            help="UCB1 constant of bare UCT, goals being 0 to 100.",
            show_default=f"that of tuning.json beside the file, or {Parameters.uct_c:g}",
        ),
    ] = None,
    twin: Annotated[
        bool,
        typer.Option(
            "--twin", help="Also score the file's parameters without its knowledge, and the file against them."
        ),
    ] = False,
    opening_plies: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MAX_PLIES,
            help="Plies at the start of a pair of matches that are drawn at random.",
            show_default=f"{OPENING_PLIES} where both files have values of states, or else 0",
        ),
    ] = None,
    seed: SeedOption = 1,
    as_json: Json = False,
) -> None:
    """Score a knowledge file: win percentage with its 95 % interval, Elo ± standard error, and N W L D.

    A match is won by the greater goal; equal goals are a draw and count half. Knowledge costs time, so the file gets
    fewer playouts per move than bare UCT. [b]--equal work[/b] compares playouts by their work, counted in logical
    operations of known cost, which is the same on every machine. [b]--equal time[/b] compares them by their seconds,
    measured in turns in this process. [b]--equal playouts[/b] gives both sides as many.

    Two files with values of states leave hardly anything to chance, so without random openings they would repeat one
    match. A game of a few moves needs [b]--opening-plies 0[/b]. Against an opponent or evaluator in plain Python, whose
    cost nobody knows, the file has the playouts of [b]--playouts[/b] itself.

    [b]--twin[/b] tells apart what the parameters of the search bring and what knowledge brings: the file's *twin* has
    its parameters, but no features and no values. Where features guide the search, the twin chooses by the same rule
    as if all moves were alike. It plays as many matches against bare UCT, and the file against it.
    """
    if uct_c is not None and against != _BARE:
        raise ConfigError(f"--uct-c is the constant of bare UCT, and {against} has its own; leave out one of them")
    if twin and against != _BARE:
        raise ConfigError("--twin compares with bare UCT; leave out --against")
    machine = load_machine(game)
    own = read_knowledge(knowledge, machine.sheet)
    player = PlayerSpec(playouts=playouts).with_knowledge(own, machine)
    constant, plugin = None, plugin_of_player(against)
    opponent: PlayerSpec | str
    if plugin is not None:
        opponent = resolved_player(machine, against, playouts)
    elif against == _BARE:
        constant = (
            bare_constant(knowledge_file(knowledge, machine.sheet)) if uct_c is None else BareConstant(uct_c, None)
        )
        opponent = PlayerSpec("uct", Parameters(uct_c=constant.uct_c), playouts=playouts)
    else:
        known = knowledge_of_player(against, machine.sheet, [_BARE])
        opponent = PlayerSpec(playouts=playouts).with_knowledge(known, machine)
    equal = Equal.time if equal_time else equal
    meetings: dict[str, tuple[PlayerSpec, PlayerSpec | str]] = {_FILE: (player, opponent)}
    if twin:
        alike = twin_of(own, machine, playouts)
        meetings |= {_TWIN: (alike, opponent), _FILE_TWIN: (player, alike)}
    sample = PositionSample(machine)
    with shown_progress() as progress:
        task = progress.add_task("matches", total=matches * len(meetings))

        def met(one: PlayerSpec, other: PlayerSpec | str) -> ScoreReport:
            def told(done: int) -> None:
                progress.update(task, advance=done)

            if isinstance(other, str):
                return scored_in_python(machine, one, other, matches, playouts, seed, told, opening_plies)
            return score_equally(machine, sample, one, other, matches, seed, told, equal, opening_plies)

        reports = {name: met(*sides) for name, sides in meetings.items()}
    report = reports[_FILE]
    if as_json:
        others = {
            key: reports[name].as_json() if name in reports else None
            for key, name in (("twin", _TWIN), ("against_twin", _FILE_TWIN))
        }
        uct_c = opponent.parameters.uct_c if isinstance(opponent, PlayerSpec) else None
        used = {} if plugin is None else {"plugins": [plugin.record()]}
        print(json.dumps({**report.as_json(), "opponent_uct_c": uct_c, **others, **used}))
        return
    print(_text(report, knowledge, against))
    if constant is not None and uct_c is None:
        print(constant.words)
    if twin:
        print(f"its parameters without its knowledge, against {_BARE_WORDS}: {reports[_TWIN]}")
        print(f"{knowledge} against its parameters without its knowledge: {reports[_FILE_TWIN]}")


def _text(report: ScoreReport, knowledge: Path, against: str) -> str:
    score, name = report.score, _BARE_WORDS if against == _BARE else against
    lines = [
        f"{knowledge} against {name}: {report}",
        f"N W L D: {score.matches} {score.wins} {score.losses} {score.draws}",
        f"playouts per move: {report.playouts} against {report.opponent_playouts}",
    ]
    if report.equal != Equal.playouts:
        lines.append(f"a playout costs {report.ratio:.2f} times the {report.equal} of the opponent's; both get as much")
    return "\n".join(lines)
