"""report.html: the findings of a run on one self-contained page.

It draws what it finds in the tables, whatever the learning method.
"""

from __future__ import annotations

import json
import shlex
from html import escape
from pathlib import Path

from gdl_miner.agent.board.page import Card, Section, report_frame
from gdl_miner.agent.extras import is_installed
from gdl_miner.agent.files.new_file import replace_file
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, written_out
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import shapes_in_words
from gdl_miner.miner.play.wording import NOTHING_HELPS, count_playouts, plugins_in_words
from gdl_miner.miner.results import report_charts as charts
from gdl_miner.miner.results.acceptance import acceptance_section
from gdl_miner.miner.results.history import RunHistory, read_run
from gdl_miner.miner.results.pruning import pruning_section
from gdl_miner.miner.results.report_features import class_shares, features, heat, key, signed
from gdl_miner.miner.results.report_values import values
from gdl_miner.miner.results.step_columns import MEANINGS, shown, step_columns
from gdl_miner.miner.results.store import BEST

_OF_ANCESTORS = ("shapes", "weights", "training_games")  # metrics
_FEWEST_ANCESTORS = 2


def draw_run(folder: Path, machine: Machine) -> None:
    """Draw the report of a run, and the pictures of a population; there are none before the first step is finished.

    Pictures need the extra `plots`, whose absence the commands tell; the report does not.

    Raises ConfigError where the folder's tables are damaged, and KnowledgeError where best.xml is.
    """
    history = read_run(folder)
    if history.crowded and history.progress and is_installed("plots"):
        from gdl_miner.miner.results.plots import draw_plots  # imported on first use: Matplotlib takes long

        draw_plots(history)
    best = folder / BEST
    if len(history.main) and best.exists():
        knowledge = read_knowledge(best, machine.sheet)
        replace_file(folder / "report.html", report_page(history, knowledge, machine).encode())


def report_page(history: RunHistory, knowledge: Knowledge, machine: Machine) -> str:
    """Return the page of a run with at least one finished step; `knowledge` is the content of best.xml."""
    return report_frame(
        f"Knowledge of {machine.sheet.name}",
        _summary(history),
        [_strength_card(history), *_learning_cards(history, knowledge), *_common_cards(history)],
        [
            Section("Strength", charts.lead(history) + charts.strength(history)),
            Section("Lineage of the best", _lineage(history)),
            Section("The last tournament", charts.tournament(history)),
            Section("Features", charts.classes(history) + charts.class_bars(class_shares(knowledge))),
            pruning_section(history),
            acceptance_section(history),
            Section("What the champion looks at", _features(knowledge, machine)),
            Section("What states are worth to the champion", values(knowledge, machine)),
            Section("Measures", charts.measures(history)),
            Section("Throughput", charts.throughput(history)),
            Section(f"{history.unit.capitalize()}s", _steps(history)),
            Section("What was run", _provenance(history)),
        ],
    )


def _features(knowledge: Knowledge, machine: Machine) -> str:
    """Return the features, drawn on the board and in words; nothing if there are values of states only."""
    sheet, geometry = machine.sheet, geometry_of(machine)
    if not knowledge.n_features:
        return "" if knowledge.values is not None else features(knowledge, sheet, geometry)
    return heat(written_out(knowledge, machine), sheet, geometry) + key(geometry) + features(knowledge, sheet, geometry)


def _learning_cards(history: RunHistory, knowledge: Knowledge) -> list[Card]:
    """Return the cards of what the champion knows, and of the games from which it was learned."""
    cards = []
    if knowledge.values is not None:
        games = history.main["games"].sum() if "games" in history.main else 0
        cards.append(Card("weights", f"{knowledge.values.n_weights}", f"{int(games)} training games" if games else ""))
    if knowledge.n_features:
        mined = history.measures["features_mined"].dropna().tolist() if "features_mined" in history.measures else []
        cards.append(Card("features", f"{knowledge.n_features}", f"of {int(mined[-1])} mined last" if mined else ""))
    return cards


def _steps(history: RunHistory) -> str:
    """Return a table of the players whom the steps are about, and all that was measured of the last one."""
    columns = step_columns(history)
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in cells) for cells in zip(*columns.values(), strict=True))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    meant = {*columns, *(["fresh"] if history.champion is not None else [])}
    note = "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in meant)
    last = ((metric, shown(value)) for metric, value in history.main.iloc[-1].items() if metric not in ("step", "name"))
    every = "".join(f"<tr><td>{escape(str(metric))}</td><td>{escape(said)}</td></tr>" for metric, said in last if said)
    return (
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        f"{f'<p class=note>{escape(note)}.</p>' if note else ''}"
        f"<details><summary>All measures of the last {history.unit}</summary>"
        f"<div class='columns'><table>{every}</table></div></details>"
    )


def _lineage(history: RunHistory) -> str:
    """Return a table of the best player of the last step, its parents, their parents and so on, the last first."""
    people = history.players
    if "parents" not in people or "origin" not in people:
        return ""
    known = people.drop_duplicates("name").set_index("name")  # a player that stays is listed where it was first
    own = [str(name) for name in (*_OF_ANCESTORS, "elo") if name in known]
    rows, left, seen = [], [str(history.main["name"].iloc[-1])], set[str]()
    while left:
        name = left.pop(0)
        if name in seen or name not in known.index:
            continue
        seen.add(name)
        row = known.loc[name]
        parents = str(row["parents"]).split() if isinstance(row["parents"], str) else []
        left += parents
        of_own = {metric: shown(row[metric]) for metric in own}
        if isinstance(row.get("shapes"), str):
            of_own["shapes"] = shapes_in_words(str(row["shapes"]).split(", "))
        cells = [name, str(row["origin"]), " and ".join(parents), *of_own.values()]
        rows.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
    if len(rows) < _FEWEST_ANCESTORS:
        return ""
    head = "".join(f"<th>{escape(each)}</th>" for each in ("player", "origin", "parents", *own))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _common_cards(history: RunHistory) -> list[Card]:
    """Return the cards of matches played and time spent."""
    playing = history.timings.dropna(subset=["matches"])
    playouts, seconds = int(playing["playouts"].sum()), float(history.timings["seconds"].sum())
    return [
        Card(
            "matches played",
            f"{int(playing['matches'].sum())}",
            f"{playouts / 1e6:.1f} million playouts" if playouts >= 1e5 else f"{playouts} playouts",
        ),
        Card("time", f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s", "of playing and learning"),
    ]


def _strength_card(history: RunHistory) -> Card:
    """Return the champion's strength in fresh matches, or the best player's in the last step where there are none."""
    if history.champion is not None:
        low, high = history.champion["ci95"]
        percent = f"{history.champion['win_percent']:.1f} %"
        return Card("champion, fresh matches", percent, f"95 %: {low:.1f}–{high:.1f}")
    if not history.progress:
        return Card("strength", "–", "not measured")
    last = history.progress[-1]
    return Card(
        f"best of the last {history.unit}",
        f"{last.win_percent:.1f} %",
        f"Elo {signed(last.elo)} ± {last.elo_se:.0f}, {last.matches} matches",
    )


def _summary(history: RunHistory) -> str:
    search = history.settings["search"]
    found = history.champion
    if found is None and history.complete:
        said = "The champion was not measured in fresh matches; the numbers below flatter it."
    elif found is None:
        said = f"After {len(history.main)} of {_count(history.planned, history.unit)} the run is not complete."
    else:
        (low, high), drawn = found["ci95"], found["draws"]
        said = (
            f"The champion scored <b>{found['win_percent']:.1f} %</b> in {found['n']} fresh matches against bare UCT "
            f"(95 %: {low:.1f}–{high:.1f}{f'; {drawn} were drawn' if drawn else ''}), about {signed(found['elo'])} ± "
            f"{found['elo_se']:.0f} Elo."
        )
        if found["roles"] > 2:
            said += (
                f" It played each of the {found['roles']} roles against copies of bare UCT; points and Elo come from "
                "comparing its goal with that of each opponent."
            )
        if not history.helps:
            said = f"<b>{escape(NOTHING_HELPS[0].upper() + NOTHING_HELPS[1:])}.</b> {said}"
    baseline = max(1, round(search["handicap"] * search["playouts"]))
    sides = f"Bare UCT searched {count_playouts(baseline)} a move"
    if found is not None:
        sides = (
            f"It searched {count_playouts(found['playouts'])} a move, bare UCT {baseline} with a constant of "
            f"{found['baseline_uct_c']:g}; one of its playouts is {found['work_ratio']:.2f} times the work"
        )
    start, trials = history.content.get("start"), history.use_of_values
    learned = f"It was learned with <b>{escape(history.content['learner'])}</b>"
    learned += f" from {escape(Path(start['given']).name)}" if start is not None else ""
    learned += f", in {_count(len(history.main), history.unit)}; the seed was {history.settings['seed']}."
    return f"{said} {sides}. {learned}{f' {escape(trials[0].upper() + trials[1:])}.' if trials else ''}"


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{'s'[: number != 1]}"


def _provenance(history: RunHistory) -> str:
    environment = history.environment
    command = shlex.join(["miner", *environment.get("command", [])])
    start = history.content.get("start")
    started = [] if start is None else [("Starts from", f"{start['given']}, {start['digest'][:16]}")]
    facts = [
        ("Program", f"gdl-miner {environment.get('version')}, Python {environment.get('python')}"),
        ("Libraries", ", ".join(f"{name} {number}" for name, number in environment.get("libraries", {}).items())),
        (
            "Machine",
            f"{environment.get('processor')}, {environment.get('processors', '?')} processors, "
            f"{environment.get('instruction_set')}, {environment.get('system', '')}",
        ),
        ("Started", str(environment.get("started"))),
        ("Rules", f"{history.content['game']['name']}, {history.content['game']['digest'][:16]}"),
        *started,
        *([("Plug-ins", plugins_in_words(history.plugins))] if history.plugins else []),
        ("Configuration", f"{history.content.get('source', '')}, run {history.content.get('fingerprint', '')}"),
    ]
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(said)}</td></tr>" for name, said in facts)
    settings = json.dumps(history.settings, indent=2)
    return (
        f"<pre>{escape(command)}</pre>"
        "<p>The same game, configuration and seed give the same knowledge, byte for byte, on any number of workers. "
        "This runs everything again, in a new folder, and says whether the bytes agree:</p>"
        f"<pre>{escape(shlex.join(['miner', 'repeat', str(history.folder)]))}</pre>"
        f"<div class='scroll'><table class='about'>{rows}</table></div>"
        f"<details><summary>The whole configuration</summary><pre>{escape(settings)}</pre></details>"
    )
