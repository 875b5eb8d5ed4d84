"""The entry point of `scripts/bench`."""

from agent.commands.program import run_program


def main() -> None:
    """Run the command line."""
    run_program("agent.benchmarks.cli", "scripts/bench")


if __name__ == "__main__":
    main()
