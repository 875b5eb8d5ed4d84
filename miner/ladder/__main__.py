"""`scripts/ladder`, as a program."""

from agent.commands.program import run_program


def main() -> None:
    """Run the command line."""
    run_program("miner.ladder.cli", "scripts/ladder")


if __name__ == "__main__":
    main()
