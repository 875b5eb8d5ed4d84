"""index.html of a ladder: ratings of all games and of each class, points of the pairings, and the games."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gdl_miner.agent.board.page import Card, Section, report_frame
from gdl_miner.miner.play.rating import Score
from lab.ladder.standing import ALL, LadderGame, LadderPlace, together
from lab.tables import Row

_STYLE = """
.ladder td:nth-child(2), .ladder th:nth-child(2) { text-align: left; }
.ladder .interval { width: 8rem; height: 1rem; display: block; }
.interval line { stroke: var(--soft); } .interval .middle { stroke: var(--line); }
.interval circle { fill: var(--accent); } .about td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
"""


def ladder_page(rated: Sequence[LadderPlace], games: Sequence[LadderGame], names: Sequence[str], about: Row) -> str:
    """Return the page.

    Args:
        rated: the standing.
        games: the games that were played.
        names: of the players, the origin of the scale first.
        about: conditions, command, commit, machine and load.
    """
    kinds = list(dict.fromkeys(each.kind for each in rated))
    matches = sum(each.score.matches for game in games for each in game.matches.comparisons)
    cards = [
        Card("players", str(len(names)), f"{names[0]} is the origin of the scale"),
        Card("games", str(len(games)), f"of {len(kinds) - 1} class{'es' * (len(kinds) > 2)}"),
        Card("matches", f"{matches:,}", str(about["conditions"])),
    ]
    lead = (
        "Each player met each other in every game that both play, in pairs of matches with the seats swapped and "
        "the same random opening. Strengths are those of a Bradley–Terry model, with 95 % intervals; all matches "
        "count alike."
    )
    sections = [
        Section("All games" if kind == ALL else kind, _ratings([each for each in rated if each.kind == kind]))
        for kind in kinds
    ]
    sections += [
        Section("Points in % against each other", _points(games, names)),
        Section("Games", _games(games, names)),
        Section("How it was played", _about(about)),
    ]
    return report_frame("Ladder", lead, cards, sections, _STYLE)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], raw: int | None = None) -> str:
    """Return a table; the cells of the column `raw` are HTML."""
    body = "".join(
        "<tr>"
        + "".join(f"<td>{cell if place == raw else escape(cell)}</td>" for place, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    return f"<div class='scroll'><table class='ladder'><tr>{head}</tr>{body}</table></div>"


def _ratings(rated: Sequence[LadderPlace]) -> str:
    ends = [end for each in rated for end in each.ci95]
    low, high = min(ends), max(max(ends), min(ends) + 1.0)
    rows = [
        [
            str(each.place),
            each.name,
            f"{each.rating.elo:+.0f}",
            "{:+.0f} to {:+.0f}".format(*each.ci95),
            _interval(each, low, high),
            f"{each.score.win_percent:.1f}",
            *(str(count) for count in (each.games, each.score.matches, each.score.wins, each.score.losses)),
            str(each.score.draws),
        ]
        for each in rated
    ]
    heads = ("", "player", "Elo", "95 %", "", "points %", "games", "matches", "won", "lost", "drawn")
    return _table(heads, rows, raw=4)


def _interval(each: LadderPlace, low: float, high: float) -> str:
    """Return a rating with its interval, drawn on the scale of its table, with a mark at 0."""
    left, right, middle, zero = (100 * (end - low) / (high - low) for end in (*each.ci95, each.rating.elo, 0.0))
    origin = f"<line class='middle' x1='{zero:.1f}' x2='{zero:.1f}' y1='0' y2='10'/>" if 0 <= zero <= 100 else ""
    return (
        "<svg class='interval' viewBox='-2 0 104 10' preserveAspectRatio='none' role='img' "
        f"aria-label='{each.rating.elo:+.0f} Elo'>{origin}<line x1='{left:.1f}' x2='{right:.1f}' y1='5' y2='5'/>"
        f"<circle cx='{middle:.1f}' cy='5' r='2'/></svg>"
    )


def _points(games: Sequence[LadderGame], names: Sequence[str]) -> str:
    scores: dict[tuple[int, int], Score] = {}
    for each in together(games, len(names)).comparisons:
        if each.score.matches:
            scores[each.player, each.opponent] = each.score
            scores[each.opponent, each.player] = each.turned
    numbers = range(len(names))
    cells = [
        [f"{scores[one, other].win_percent:.1f}" if (one, other) in scores else "–" for other in numbers]
        for one in numbers
    ]
    rows = [[str(one + 1), names[one], *cells[one]] for one in numbers]
    return _table(("", "player", *(str(number + 1) for number in numbers)), rows)


def _games(games: Sequence[LadderGame], names: Sequence[str]) -> str:
    rows = []
    for game in games:
        scores = [game.matches.score_of(player) for player in range(len(names))]
        points = [f"{score.win_percent:.0f}" if score.matches else "–" for score in scores]
        out = "; ".join(f"{name}: {why}" for name, why in game.left_out.items())
        rows.append([game.kind, game.name, *points, out])
    return _table(("class", "game", *names, "left out"), rows)


def _about(about: Row) -> str:
    rows = "".join(f"<tr><th>{escape(key)}</th><td>{escape(str(value))}</td></tr>" for key, value in about.items())
    return f"<div class='scroll'><table class='about'>{rows}</table></div>"
