"""The programs of the package as one: `python -m gdl_miner agent …` and `python -m gdl_miner miner …`."""

from __future__ import annotations

import sys

from gdl_miner.agent.commands.program import run_program
from gdl_miner.agent.errors import escaped
from gdl_miner.agent.version import program_version

PROGRAMS = {
    "agent": "play games given by rule sheets: check, info, show, play, analyse, table, serve, …",
    "miner": "learn knowledge of games: evolve, learn, score, tournament, explain, export, …",
}
_NAME = "python -m gdl_miner"


def main() -> None:
    """Hand over to the program that the first argument names; without one, or for help, say what there is."""
    first, *_ = [*sys.argv[1:], "--help"]
    if first in PROGRAMS:
        del sys.argv[1]
        run_program(f"gdl_miner.{first}.cli", f"{_NAME} {first}")
    elif first in ("--help", "-h"):
        print(_usage())
    elif first == "--version":
        print(f"gdl-miner {program_version()}")
    else:
        print(f"error: {_NAME}: there is no program {escaped(first)}; give {' or '.join(PROGRAMS)}", file=sys.stderr)
        raise SystemExit(2)


def _usage() -> str:
    lines = [f"  {_NAME} {program} …  {what}" for program, what in PROGRAMS.items()]
    end = "Each says more with --help, and an installation has it as a command. `import gdl_miner` is a library."
    return "\n".join(["Knowledge mining for General Game Playing. Programs:", "", *lines, "", end])


if __name__ == "__main__":
    main()
