"""`scripts/bench knowledge|mining|selection`, as a program."""

from agent.commands.program import run_program


def main() -> None:
    """Run the command line."""
    run_program("miner.benchmarks.cli", "scripts/bench")


if __name__ == "__main__":
    main()
