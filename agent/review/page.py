"""A review as a page, and its words: the course of the match, and the board at every move that lost value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from gdl_miner.agent.board import BoardPicture, MoveNames, looks_of, picture_of
from gdl_miner.agent.board.page import Card, Section, report_frame
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.review.review import Cause, MoveValue, Review, ReviewedMove


class ReviewWords:
    """The words and pictures of a review."""

    def __init__(self, review: Review, machine: Machine) -> None:
        self.role = machine.sheet.display(machine.roles[review.role])
        self._review = review
        self._machine = machine
        self._names = MoveNames(machine)

    def result(self) -> str:
        """Return the goals of all roles."""
        goals = zip(map(self._machine.sheet.display, self._machine.roles), self._review.match.goals, strict=True)
        return ", ".join(f"{role} {'no goal' if goal is None else goal}" for role, goal in goals)

    def summary(self) -> Iterator[str]:
        """Yield sentences about the whole match."""
        review, losing = self._review, self._review.losing
        lost, causes = sum(move.loss for move in losing), Counter(move.causes[0] for move in losing)
        counted = ", ".join(f"{cause} {count}" for cause, count in causes.items())
        which = f"{len(losing)} of {len(review.moves)} moves of {self.role}"
        more = f", {lost:.0f} in all; causes: {counted}" if losing else ""
        yield f"{which} lost {review.settings.threshold:g} points or more{more}."
        first = review.misjudged
        if first is not None:
            yield (
                f"The player's own estimate first differs from the deep search at ply {first.ply + 1}: "
                f"{first.estimate:.0f} against {first.deep:.0f}."
            )

    def course(self) -> Iterator[tuple[str, ...]]:
        """Yield the cells of each move: ply, move, playouts, estimate, deep value, loss, causes."""
        for move in self._review.moves:
            yield (
                str(move.ply + 1),
                self._names.label(move.made.row),
                "" if move.playouts is None else f"{move.playouts:,}",
                f"{move.estimate:.0f}",
                f"{move.deep:.0f}",
                f"{move.loss:.0f}" if move.best.row != move.made.row else "",
                ", ".join(move.causes),
            )

    def title(self, move: ReviewedMove) -> str:
        """Return where a move lost value."""
        return f"ply {move.ply + 1}, {self.role}: {self._names.label(move.made.row)} loses {move.loss:.0f} points"

    def account(self, move: ReviewedMove) -> Iterator[str]:
        """Yield sentences about a move that lost value."""
        usual, deep = self._review.settings.usual, self._review.settings.playouts
        better = self._names.label(move.best.row)
        yield f"After it a deep search expects {move.made.value:.0f}, after {better} it expects {move.best.value:.0f}."
        yield f"The player expected {move.estimate:.0f}."
        made, best = move.made.worth, move.best.worth
        if made is not None and best is not None:
            yield f"By the values alone the move is worth {made:.0f}, and the better one {best:.0f}."
        if move.found_at is None:
            yield f"The player's own search repeats the mistake with up to {deep:,} playouts."
        else:
            yield f"Its search keeps the value from {move.found_at:,} playouts on; in the match it had {usual:,}."
        yield f"Cause: {', then '.join(_CAUSES[cause] for cause in move.causes)}."

    def picture(self, move: ReviewedMove, marked: MoveValue | None = None) -> BoardPicture | None:
        """Return the board before a move, with the fields marked that a move names; None where there is no board."""
        machine, board = self._machine, self._machine.board
        if board is None:
            return None
        facts = machine.facts(self._review.match.record.states[move.ply])
        path = () if marked is None else self._names.path(marked.row)
        return picture_of(board, machine.fluents, facts, machine.sheet.display, path, looks_of(machine))

    def facts(self, move: ReviewedMove) -> str:
        """Return the facts before a move that are not on the board."""
        machine, board = self._machine, self._machine.board
        facts = machine.facts(self._review.match.record.states[move.ply])
        return " ".join(machine.sheet.display(fact) for fact in facts if board is None or board.field(fact) is None)


COURSE = ("ply", "move", "playouts", "own", "deep", "loss", "cause")
_CAUSES = {
    Cause.fault: "the referee made the move, as the player's was late, illegal or missing",
    Cause.clock: "the clock: the search was shorter than usual",
    Cause.opening: "the opening",
    Cause.values: "the values, which prefer the move or see no difference",
    Cause.search: "the search, which was too short",
}


def review_page(review: Review, machine: Machine) -> str:
    """Return the page as HTML, with two boards for each move that lost value: the move made, and the better one."""
    words, settings = ReviewWords(review, machine), review.settings
    first, losing = review.misjudged, review.losing
    cards = [
        Card("result", words.result(), f"after {review.match.plies} plies"),
        Card(
            "moves that lost value", f"{len(losing)} of {len(review.moves)}", f"{settings.threshold:g} points or more"
        ),
        Card("first misjudged", "never" if first is None else f"ply {first.ply + 1}", "by the player's own estimate"),
        Card("deep searches", f"{settings.playouts:,}", f"playouts; in the match {settings.usual:,}"),
    ]
    sections = [Section("Course", _table(COURSE, words.course()))]
    sections += [Section(words.title(move), _move(words, move)) for move in losing]
    title = f"{machine.sheet.name}: {review.match.name}"
    return report_frame(title, escape(" ".join(words.summary())), cards, sections, _STYLE)


_STYLE = "\n.course td:nth-child(2), .course td:last-child { text-align: left; }\nfigure .board { max-width: 26rem; }\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class='scroll'><table class='course'><tr>{head}</tr>{body}</table></div>"


def _move(words: ReviewWords, move: ReviewedMove) -> str:
    figures = []
    for caption, marked in (("the move made", move.made), ("the better move", move.best)):
        picture = words.picture(move, marked)
        if picture is not None:
            figures.append(f"<figure>{picture.svg()}<figcaption>{caption}</figcaption></figure>")
    account = escape(" ".join(words.account(move)))
    return f"<p>{account}</p><div class='pair'>{''.join(figures)}</div><p class='note'>{escape(words.facts(move))}</p>"
