"""Wordings of scores, matches and playouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdl_miner.miner.play.rating import Rating, Score

NOTHING_HELPS = "no knowledge helps: the best that was learned does not beat bare UCT, and best.xml is empty"


def nothing_helps(score: Score) -> str:
    """Return that nothing helps and, where all matches were drawn, where to look for the reason."""
    alike = "; all matches were drawn: `agent check` tells whether the rules let matches end in other ways"
    return NOTHING_HELPS + alike * (0 < score.matches == score.draws)


def count_playouts(playouts: int) -> str:
    """Return `1 playout` or `30 playouts`."""
    return f"{playouts} playout{'s'[: playouts != 1]}"


def use_in_long_searches(trusted_playouts: int, valued_playouts: int) -> str:
    """Return what the longest searches that trust values alone, and that use them, mean; 0: any search does."""
    said = []
    if trusted_playouts:
        said.append(f"mixed with playouts in searches of more than {count_playouts(trusted_playouts)}")
    if valued_playouts:
        said.append(f"left out in searches of more than {count_playouts(valued_playouts)}")
    return f"values are {' and '.join(said) or 'used alone in searches of any length'}"


def count_matches(matches: int, draws: int) -> str:
    """Return `100 matches` or `100 matches, 12 drawn`."""
    return f"{matches} match{'es'[: 2 * (matches != 1)]}" + (f", {draws} drawn" if draws else "")


def describe_points(score: Score) -> str:
    """Return a text such as `62.5 % (95 %: 52.1–71.8)`."""
    low, high = score.ci95
    return f"{score.win_percent:.1f} % (95 %: {low:.1f}–{high:.1f})"


def describe_result(score: Score) -> str:
    """Return a text such as `62.5 % (95 %: 52.1–71.8), 60 matches, 3 drawn`."""
    return f"{describe_points(score)}, {count_matches(score.matches, score.draws)}"


def describe_score(score: Score, rating: Rating) -> str:
    """Return a text such as `62.5 % (95 %: 52.1–71.8), Elo +88 ± 41, 60 matches, 3 drawn`."""
    matches = count_matches(score.matches, score.draws)
    return f"{describe_points(score)}, Elo {rating.elo:+.0f} ± {rating.se:.0f}, {matches}"


def plugins_in_words(plugins: Sequence[Mapping[str, str]]) -> str:
    """Return the plug-ins of a result as a list such as `learner climbing of climbing 1.0`."""
    return ", ".join(f"{each['kind']} {each['name']} of {each['package']} {each['version']}" for each in plugins)
