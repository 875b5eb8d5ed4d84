"""Mistakes that a user can make and correct.

The message of each says where the mistake is and what to do; a traceback is never shown.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from pathlib import Path


# Unicode categories of characters that a terminal may obey: controls, formats, surrogates, ends of lines, unknown ones.
_OBEYED = ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp")


class UserError(Exception):
    """A mistake in the user's input; the message is complete: the place, what is wrong, and what to do."""


class RuleError(UserError):
    """A rule sheet that cannot be read or is not valid GDL-I."""


class RuleWarning(UserWarning):
    """What `agent check` warns of in a rule sheet; the game can be played all the same."""


class BudgetError(UserError):
    """A game whose preparation exceeds its time or memory budget."""


class KnowledgeError(UserError):
    """A knowledge file that cannot be read or does not fit its game."""


class RecordError(UserError):
    """A match record that cannot be read or does not fit its game."""


class ConfigError(UserError):
    """A configuration, parameter or results folder that cannot be used."""


class MoveError(UserError):
    """A move that is not legal where it is made."""


class MessageError(UserError):
    """A message that is not one of the GGP protocol."""


def escaped(text: str) -> str:
    r"""Return a text for a terminal or a log, which obeys no character of it: ESC becomes \x1b.

    Line feeds, tabs and all that is written as it is stay.
    """
    if text.isprintable():
        return text
    return "".join(
        each.encode("unicode_escape").decode() if category(each) in _OBEYED and each not in "\n\t" else each
        for each in text
    )


def first_line(error: Exception) -> str:
    """Return the first line of what an error of a library says, or the name of its type where it says nothing."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


def why_unreadable(error: Exception) -> str:
    """Return why a text could not be read, for a message that names the file itself."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    return (isinstance(error, OSError) and error.strerror) or str(error)


def unwritable(path: Path, error: OSError, advice: str) -> str:
    """Return the message that a file could not be written; it ends in `advice` unless the disk is full."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{path}: the disk is full; free some space"
    return f"{path}: cannot be written ({error.strerror or error}); {advice}"
