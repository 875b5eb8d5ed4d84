"""Files that the user or a stranger names, opened for reading: ordinary files only, at once, and within limits of size.

A named pipe would wait for a writer and a device may have no end, so neither is opened. What a run or a sweep keeps
in its folder must stand there itself: a link in a folder that comes from elsewhere would lead writing out of it.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

MAX_TEXT = 256 << 20
"""Largest JSON file, CSV file or trace that is read, in bytes; those of long runs stay below a tenth of it."""

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link",
}
_PIECE = 1 << 20  # bytes read at a time, so that memory is taken for what is there and not for the limit


def open_file(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file for reading. Raises OSError, also for a folder, a named pipe, a socket, a device or an odd name."""
    if "\0" in os.fspath(path):
        raise OSError(errno.EINVAL, "a zero byte is in its name")
    refuse_special(Path(path).stat())
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        refuse_special(os.fstat(descriptor))
        os.pread(descriptor, 1, 0)  # fails for files of the kernel such as /proc/kmsg, which would wait for more
        return io.BufferedReader(io.FileIO(descriptor, "rb"))
    except BaseException:
        os.close(descriptor)
        raise


def refuse_special(found: os.stat_result) -> None:
    """Raise OSError for anything but an ordinary file."""
    kind = stat.S_IFMT(found.st_mode)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if kind != stat.S_IFREG:
        raise OSError(errno.EINVAL, f"it is {_KINDS.get(kind, 'no file')}")


def read_bounded(path: str | os.PathLike[str], most: int = MAX_TEXT) -> bytes:
    """Return the content of a file of at most `most` bytes. Raises ValueError where it is larger, and OSError."""
    with open_file(path) as file:
        large = os.fstat(file.fileno()).st_size > most
        content = bytearray()
        while not large and (piece := file.read(_PIECE)):
            content += piece
            large = len(content) > most
    if large:
        raise ValueError(f"larger than {most >> 20} MiB")
    return bytes(content)


def strange_entry(folder: Path) -> tuple[Path, str] | None:
    """Return the first thing in a folder, at any depth, that is neither a file nor a folder, and what it is.

    Links are not followed, but `folder` itself may be one. None where there is nothing strange, or no such folder.
    """
    pending = [folder]
    while pending:
        parent = pending.pop()
        try:
            with os.scandir(parent) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(Path(entry))
                    elif not entry.is_file(follow_symlinks=False) and os.path.lexists(entry):
                        kind = stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)
                        return Path(entry), _KINDS.get(kind, "no file")
        except (FileNotFoundError, NotADirectoryError):  # a run that goes on has removed it
            continue
        except OSError as error:
            return parent, f"a folder that cannot be read ({error.strerror})"
    return None
