"""What the command line programs share: how they start and end, how they show examples.

Nothing large is imported here, so that Ctrl-C is understood before the libraries are there.
"""

from __future__ import annotations

import inspect
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import FrameType

from agent.errors import UserError

__all__ = ["INTERRUPTED", "examples", "paragraphs", "run_program"]

INTERRUPTED = 130  # what shells report after Ctrl-C

_AGAIN_S = 0.02  # after this long whatever dropped it should have ended


def run_program(module: str, name: str | None = None) -> None:
    """Run the typer application `app` of a module, under a name if it is not started by its own.

    A user's mistake prints one line and exits with 2; Ctrl-C exits with 130, even while the module is being imported.
    """
    sys.unraisablehook = partial(_interrupt_again, usual=sys.unraisablehook)
    try:
        _application(module)(prog_name=name)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _application(module: str) -> Callable[..., None]:
    """The application of a module. Libraries that are interrupted while they load may do anything but end, so we do."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # else whoever started us wants it ignored
        signal.signal(signal.SIGINT, _leave)
    try:
        app = import_module(module).app
    finally:
        signal.signal(signal.SIGINT, usual)
    for command in app.registered_commands:
        command.help = command.help or paragraphs(command.callback.__doc__ or "")
    run: Callable[..., None] = app
    return run


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def _interrupt_again(dropped: sys.UnraisableHookArgs, usual: Callable[[sys.UnraisableHookArgs], object]) -> None:
    """Python drops what is raised in a finalizer; a Ctrl-C that comes there comes again."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        usual(dropped)
        return
    main = threading.main_thread().ident
    assert main is not None  # it runs
    again = threading.Timer(_AGAIN_S, signal.pthread_kill, (main, signal.SIGINT))
    again.daemon = True
    again.start()


def paragraphs(docstring: str) -> str:
    """A docstring with each paragraph on one line, for a terminal to break where it ends."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(docstring).split("\n\n"))


def examples(program: str, *lines: str) -> str:
    """The end of a command's help: ways to call it, without the program's name."""
    return "[b]Examples[/b]\n\n" + "\n\n".join(f"  {program} {line}" for line in lines)
