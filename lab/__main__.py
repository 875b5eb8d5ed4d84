"""`scripts/lab`, as a program."""

from gdl_miner.agent.commands.program import run_program


def main() -> None:
    """Run the command line."""
    run_program("lab.studies", "scripts/lab")


if __name__ == "__main__":
    main()
