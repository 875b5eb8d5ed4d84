"""`scripts/reproduce`, as a program."""

from gdl_miner.agent.commands.program import run_program


def main() -> None:
    """Run the command line."""
    run_program("gdl_miner.miner.reproduction.cli", "scripts/reproduce")


if __name__ == "__main__":
    main()
