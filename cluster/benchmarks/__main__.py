"""The entry point of `scripts/bench cluster`."""

from agent.commands.program import run_program


def main() -> None:
    """Run the command line."""
    run_program("cluster.benchmarks.cli", "scripts/bench cluster")


if __name__ == "__main__":
    main()
