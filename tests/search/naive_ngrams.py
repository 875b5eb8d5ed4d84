"""N-grams of moves, implemented directly from their definition."""

from __future__ import annotations

from tests.search.naive_draws import Draws, hash_combine


class NGrams:
    """Visits and goals of rows after the joint moves before them; longer n-grams are stored in sets of eight."""

    def __init__(self, states: int, greed: float) -> None:
        self.threshold = round(greed * 2**20)
        self.moves: dict[int, list[int]] = {}
        self.sets: list[list[list[int]]] = [
            [[0, 0, 0] for _ in range(8)] for _ in range(1 << (min(states // 2, 1 << 15) - 1).bit_length())
        ]

    @staticmethod
    def keys(row: int, context: tuple[tuple[int, ...], ...]) -> list[int]:
        """Return the keys of the n-grams of two and three moves for which the joint moves before are known."""
        joints = []
        for joint in context:
            joints.append(0)
            for each in joint:
                joints[-1] = hash_combine(joints[-1], each)
        seeds = [*joints[-1:], *([hash_combine(*joints)] if len(joints) == 2 else [])]
        return [hash_combine(seed, row) for seed in seeds]

    def entries(self, key: int) -> list[list[int]]:
        return self.sets[key % len(self.sets)]

    def add(self, row: int, context: tuple[tuple[int, ...], ...], goal: int) -> None:
        self.count(self.moves.setdefault(row, [0, 0]), goal)
        for key in self.keys(row, context):
            entries = self.entries(key)
            known = [entry for entry in entries if entry[0] == key and entry[1] > 0]
            entry = known[0] if known else min(entries, key=lambda entry: entry[1])
            if not known:
                entry[:] = [key, 0, 0]
            self.count(entry, goal)

    def count(self, counts: list[int], goal: int) -> None:
        if counts[-2] == 4095:
            self.halve(counts)
        counts[-2:] = [counts[-2] + 1, counts[-1] + goal]

    def halve(self, counts: list[int]) -> None:
        visits, goals = counts[-2:]
        counts[-2:] = [visits // 2, goals * (visits // 2) // visits if visits else 0]

    def fade(self) -> None:
        for counts in [*self.moves.values(), *(entry for entries in self.sets for entry in entries)]:
            self.halve(counts)

    def value(self, row: int, context: tuple[tuple[int, ...], ...]) -> float:
        visits, goals = self.moves.get(row, [0, 0])
        if visits == 0:
            return 100.0
        means = [goals / visits]
        for key in self.keys(row, context):
            if visits < 7:
                break
            visits, goals = next((entry[1:] for entry in self.entries(key) if entry[0] == key and entry[1] > 0), [0, 0])
            if visits >= 7:
                means.append(goals / visits)
        return sum(means) / len(means)

    def choose(self, rows: list[int], context: tuple[tuple[int, ...], ...], draws: Draws) -> int:
        if draws.below(2**20) >= self.threshold:
            return draws.below(len(rows))
        values = [self.value(row, context) for row in rows]
        best = [place for place, value in enumerate(values) if value == max(values)]
        return best[draws.below(len(best))]
