"""The entry point of `scripts/bench cluster`."""

from gdl_miner.agent.commands.program import run_program


def main() -> None:
    """Run the command line."""
    run_program("gdl_miner.cluster.benchmarks.cli", "scripts/bench cluster")


if __name__ == "__main__":
    main()
