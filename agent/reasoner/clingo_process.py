"""Grounds standard input with clingo under limits of memory and processor time: clingo_process.py MEBIBYTES SECONDS.

Standard output gets a line with the number of integers that follow; these integers (32 bits, native order), which are
the rules, each as head, length of the body, body; then a line per atom of the relations asked about, as its number (0
for a fact) and its text; then the line "end", without which the output is not complete.

Own code rather than clingo's text output, because that makes a system call per number.
"""

import resource
import sys
from array import array
from collections.abc import Sequence

import clingo

RELATIONS = {"r_true": 1, "r_does": 2, "r_next": 1, "r_legal": 2, "r_goal": 2, "r_terminal": 0, "r_init": 1}


class Rules(clingo.Observer):
    """Collects the ground rules without choice, and the atoms that any rule may make true."""

    def __init__(self) -> None:
        self.integers = array("i")
        self.derivable: set[int] = set()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        """Take one rule from the grounder."""
        self.derivable.update(head)
        if not choice and head:
            self.integers.append(head[0])
            self.integers.append(len(body))
            self.integers.extend(body)


def main() -> None:
    """Ground standard input."""
    memory, seconds = int(sys.argv[1]) << 20, int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rules = Rules()
    control = clingo.Control(["--warn=none"])
    control.register_observer(rules, replace=True)
    control.add("base", [], sys.stdin.read())
    control.ground([("base", [])])
    output = sys.stdout.buffer
    output.write(b"%d\n" % len(rules.integers))
    rules.integers.tofile(output)
    for name, arity in RELATIONS.items():
        for atom in control.symbolic_atoms.by_signature(name, arity):
            if atom.is_fact or atom.literal in rules.derivable:  # not one that bodies mention and nothing derives
                output.write(f"{0 if atom.is_fact else atom.literal} {atom.symbol}\n".encode())
    output.write(b"end\n")


if __name__ == "__main__":
    main()
