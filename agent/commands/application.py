"""The typer application of a program."""

from typing import Annotated

import typer

from gdl_miner.agent.version import program_version


def application(name: str, teaches: str) -> typer.Typer:
    """Return an application whose options are `--version` and those that install the completion of a shell.

    Called without a command it prints its help. `run_program` shows its errors.
    """
    app = typer.Typer(
        name=name,
        help=teaches,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
        rich_markup_mode="rich",
    )

    def print_version(wanted: bool) -> None:
        if wanted:
            print(f"{name} {program_version()}")
            raise typer.Exit

    @app.callback()
    def options(
        _version: Annotated[
            bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit.")
        ] = False,
    ) -> None:
        pass

    return app
