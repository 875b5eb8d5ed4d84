"""Differences between engines that play the same rules: circuit, lanes and interpreter."""

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.errors import BudgetError, RuleError
from gdl_miner.agent.gdl.check import check_sheet
from gdl_miner.agent.gdl.rules import RuleSheet, parse_sheet
from gdl_miner.agent.reasoner.budget import Budget, Clock
from gdl_miner.agent.reasoner.engines import CircuitEngine, InterpreterEngine, TextEngine
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import Machine, State
from gdl_miner.agent.reasoner.prepare import prepare
from tests.fuzz.mutation import shuffled
from tests.native.twin import totals

Engines = dict[str, TextEngine[Any]]
ENDLESS = "terms grow without end"  # the interpreter detects this; the circuit only runs out of its budget


class Difference(NamedTuple):
    """A disagreement of two engines, or of an engine and a law."""

    kind: str  # the answer that differs and the engines; the same for equal faults
    detail: str


class Limits(NamedTuple):
    """Limits of the comparison on one sheet."""

    walks: int = 3
    steps: int = 12
    prepare_s: float = 8.0
    answer_s: float = 4.0  # for all answers of the interpreter
    memory_mib: int = 1500


class _Follower(NamedTuple):
    engine: TextEngine[Any]
    state: Any


def difference(text: str, seed: int, limits: Limits) -> Difference | None:
    """Play random matches on all engines; return their first difference, None if they agree.

    Raises RuleError for a text that is not a valid game.
    """
    sheet = parse_sheet(text)
    errors = [finding for finding in check_sheet(sheet) if finding.severity == "error"]
    if errors:
        raise RuleError(str(errors[0]))
    rng = random.Random(seed)
    engines: Engines = {}
    for name, make in MAKERS.items():
        try:
            engines[name] = make(sheet, limits)
        except BudgetError:
            continue
        except RuleError as error:
            return Difference(f"{name} refuses what the check allows", str(error))
    seen: list[State] = []
    ended = True
    for _ in range(limits.walks):
        found, over = _walk(engines, rng, limits, seen)
        if found is not None:
            return found
        ended &= over
    if "circuit" not in engines:
        return None
    engine = engines["circuit"]
    assert isinstance(engine, CircuitEngine)
    return next(_of_circuit(engine.machine, text, seen, rng, limits, ended), None)


def _circuit(sheet: RuleSheet, limits: Limits) -> TextEngine[Any]:
    return CircuitEngine(Machine(sheet, prepare(sheet, Budget(limits.prepare_s, limits.memory_mib))))


def _interpreter(sheet: RuleSheet, limits: Limits) -> TextEngine[Any]:
    clock = Clock(sheet.name, Budget(limits.answer_s, limits.memory_mib))
    return InterpreterEngine(Interpreter(sheet, lambda: clock.check("interpreting")))


MAKERS: dict[str, Callable[[RuleSheet, Limits], TextEngine[Any]]] = {
    "interpreter": _interpreter,
    "circuit": _circuit,
}
QUESTIONS: dict[str, Callable[[TextEngine[Any], Any], object]] = {
    "facts": lambda engine, state: sorted(engine.facts(state)),
    "terminal": lambda engine, state: engine.terminal(state),
    "legal moves": lambda engine, state: [sorted(moves) for moves in engine.legal(state)],
    "goals": lambda engine, state: list(engine.goals(state)),
}


def _walk(engines: Engines, rng: random.Random, limits: Limits, seen: list[State]) -> tuple[Difference | None, bool]:
    """Play a match and append the circuit's states to `seen`; return also whether the match ended."""
    at: dict[str, _Follower] = {}
    for name in list(engines):
        _answer(engines, at, name, lambda engine, _: engine.initial())
    for _ in range(limits.steps):
        answers: dict[str, dict[str, object]] = {}
        for name in list(at):
            for what, ask in QUESTIONS.items():
                found = _ask(engines, at, name, ask)
                if name not in at:
                    break
                answers.setdefault(what, {})[name] = found
        for what, by_name in answers.items():
            names = [name for name in by_name if name in at]
            for name in names[1:]:
                if by_name[name] != by_name[names[0]]:
                    detail = f"{names[0]}: {by_name[names[0]]}\n{name}: {by_name[name]}"
                    return Difference(f"{what}: {names[0]}, {name}", detail), False
        if not at:
            return None, False
        first = next(iter(at))
        if "circuit" in at:
            seen.append(at["circuit"].state)
        legal: Any = answers["legal moves"][first]
        if answers["terminal"][first] or not all(legal):
            return None, bool(answers["terminal"][first])
        joint = tuple(rng.choice(moves) for moves in legal)
        for name in list(at):
            _answer(engines, at, name, lambda engine, state: engine.next(state, joint))  # noqa: B023 - called at once
    return None, False


def _answer(engines: Engines, at: dict[str, _Follower], name: str, ask: Callable[[Any, Any], Any]) -> None:
    """Move an engine to another state."""
    if name not in at:
        at[name] = _Follower(engines[name], None)
    state = _ask(engines, at, name, ask)
    if name in at:
        at[name] = _Follower(engines[name], state)


def _ask(engines: Engines, at: dict[str, _Follower], name: str, ask: Callable[[Any, Any], Any]) -> Any:
    """Ask an engine; one that exceeds its budget or meets endless terms takes no further part."""
    try:
        return ask(at[name].engine, at[name].state)
    except BudgetError:
        pass
    except RuleError as error:
        if ENDLESS not in str(error):
            raise
    del engines[name], at[name]
    return None


def _of_circuit(
    machine: Machine, text: str, seen: list[State], rng: random.Random, limits: Limits, ended: bool
) -> Iterator[Difference]:
    """Yield differences between lanes and single states, and between two orders of the same rules."""
    isa = rng.choice(_native.supported_instruction_sets())
    yield from _lanes(machine, seen[:64], isa, rng)
    yield from _together(machine, seen)
    if ended:
        plain = machine.native.playouts(count=300, lanes=64, seed=1, isa=isa, follow_turns=False)
        turned = machine.native.playouts(count=300, lanes=512, seed=1)
        if totals(plain) != totals(turned):
            yield Difference("playouts: with turns, without", f"{totals(turned)}\n{totals(plain)}")
    other = prepare(parse_sheet(shuffled(text, rng)), Budget(2 * limits.prepare_s, limits.memory_mib))
    ours, theirs = machine.circuit.gate_literals, other.gate_literals
    if machine.circuit.rules_digest != other.rules_digest:
        yield Difference("digest: this order, another", f"{machine.circuit.rules_digest}\n{other.rules_digest}")
    elif not np.array_equal(ours, theirs):
        yield Difference("circuit: this order, another", f"{len(ours)} and {len(theirs)} literals")


def _together(machine: Machine, seen: list[State]) -> Iterator[Difference]:
    """Yield fluents that hold together although they were proven to exclude each other."""
    pairs = _native.exclusive_fluents(machine.native)
    for state in seen:
        holds = np.unpackbits(state.view(np.uint8), bitorder="little")
        for one, other in pairs:
            if holds[one] and holds[other]:
                yield Difference(
                    "fluents that exclude each other hold", f"{machine.fluents[one]} {machine.fluents[other]}"
                )


def _lanes(machine: Machine, states: list[State], isa: str, rng: random.Random) -> Iterator[Difference]:
    lanes = _native.Lanes(machine.native, 64, isa)
    mask = np.array([(1 << len(states)) - 1], np.uint64)
    for lane, state in enumerate(states):
        lanes.load(lane, state, lane)
    lanes.evaluate()
    listed, over = lanes.list_legal(mask), int(lanes.terminal()[0])
    expected: dict[int, State] = {}
    for lane, state in enumerate(states):
        rows = machine.legal(state)
        legal = [int(row) for of_role in rows for row in of_role]
        goals = [-1 if goal is None else goal for goal in machine.goals(state)]
        if listed[lane].tolist() != legal:
            yield Difference(f"legal moves: circuit, lanes ({isa})", f"{legal}\n{listed[lane].tolist()}")
        if bool(over >> lane & 1) != machine.terminal(state):
            yield Difference(f"terminal: circuit, lanes ({isa})", str(machine.terminal(state)))
        if lanes.goals(lane).tolist() != goals:
            yield Difference(f"goals: circuit, lanes ({isa})", f"{goals}\n{lanes.goals(lane).tolist()}")
        if all(len(of_role) for of_role in rows):
            joint = [int(rng.choice(of_role)) for of_role in rows]
            for row in joint:
                lanes.force(lane, row)
            expected[lane] = machine.next(state, joint)
    lanes.advance()
    found = lanes.read_states(np.array([2**64 - 1], np.uint64)).reshape(64, -1)
    for lane, state in expected.items():
        if not np.array_equal(found[lane], state):
            yield Difference(f"next state: circuit, lanes ({isa})", f"lane {lane}")
