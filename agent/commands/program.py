"""The start and the end of the command line programs, and the texts of their help.

This module imports nothing large, so that Ctrl-C works before the libraries are loaded.
"""

from __future__ import annotations

import inspect
import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import FrameType
from unicodedata import category

from gdl_miner.agent.errors import UserError, escaped
from gdl_miner.agent.extras import named_extra

INTERRUPTED = 130  # exit status that shells report after Ctrl-C

_AGAIN_S = 0.02  # seconds after which the finalizer that dropped a Ctrl-C should have ended


def run_program(module: str, name: str | None = None) -> None:
    """Run the typer application `app` of a module, under `name` where it is not started by its own name.

    A user's mistake, a library of an extra that is not installed and too little memory print one line and exit with 2;
    Ctrl-C exits with 130, even while the module is being imported.
    """
    sys.unraisablehook = partial(_interrupt_again, usual=sys.unraisablehook)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # no output ends in an error of the terminal's encoding
    if not os.environ.get("COLUMNS", "").strip("0"):
        os.environ.pop("COLUMNS", None)  # a terminal that does not tell its width; tables of no width show nothing
    try:
        _check_arguments()
        application = _application(module)
        _check_instruction_set()
        with named_extra(" ".join(sys.argv[1:2])):
            application(prog_name=name)
    except UserError as error:
        print(f"error: {escaped(str(error))}", file=sys.stderr)
        raise SystemExit(2) from None
    except MemoryError as error:
        print(f"error: there is too little memory ({error}); free some, or allow this process more", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _check_arguments() -> None:
    """Raise UserError for a control character in the command line: names end up in terminals, logs and records."""
    for argument in sys.argv[1:]:
        if any(category(character) == "Cc" and character not in "\n\t" for character in argument):
            raise UserError(f"{argument}: a control character is in this argument; leave it out")


def _check_instruction_set() -> None:
    """Raise UserError where the environment asks for an instruction set that this processor or program lacks."""
    from gdl_miner.agent import _native  # here, because it is loaded with the application

    try:
        _native.chosen_instruction_set()
    except ValueError as error:
        raise UserError(f"{error}; name one of these, or unset the variable") from None


def _application(module: str) -> Callable[..., None]:
    """Import and return the application of a module.

    Ctrl-C ends the process at once during the import, because a library that is interrupted while it loads may hide
    the interruption.
    """
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # otherwise the parent process wants SIGINT ignored
        signal.signal(signal.SIGINT, _leave)
    try:
        app = import_module(module).app
    finally:
        signal.signal(signal.SIGINT, usual)
    groups = [group.typer_instance for group in app.registered_groups]
    for command in [each for group in (app, *groups) for each in group.registered_commands]:
        command.help = command.help or paragraphs(command.callback.__doc__ or "")
    run: Callable[..., None] = app
    return run


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def _interrupt_again(dropped: sys.UnraisableHookArgs, usual: Callable[[sys.UnraisableHookArgs], object]) -> None:
    """Send a Ctrl-C again that came in a finalizer, where Python drops all exceptions."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        usual(dropped)
        return
    main = threading.main_thread().ident
    assert main is not None  # the main thread runs
    again = threading.Timer(_AGAIN_S, signal.pthread_kill, (main, signal.SIGINT))
    again.daemon = True
    again.start()


def paragraphs(docstring: str) -> str:
    """Return a docstring with each paragraph on one line, so that the terminal breaks lines at its own width."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(docstring).split("\n\n"))


def examples(program: str, *lines: str) -> str:
    """Return the end of a command's help: examples of calls, given without the program's name."""
    return "[b]Examples[/b]\n\n" + "\n\n".join(f"  {program} {line}" for line in lines)
