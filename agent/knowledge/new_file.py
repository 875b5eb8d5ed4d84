"""Files that appear only when they are complete."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import UserError

__all__ = ["new_file"]


@contextmanager
def new_file(path: Path, error: type[UserError]) -> Iterator[Callable[[bytes], int]]:
    """Write a file beside its place and move it there in the end; compressed where the name ends in `.gz`.

    Equal contents give equal bytes, compressed or not. Yields the function that writes. Raises the error class given
    where the file cannot be written; what was there before then stays.
    """
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("wb") as plain:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=plain, mode="wb", compresslevel=4, mtime=0) as packed:
                    yield packed.write
            else:
                yield plain.write
        partial.replace(path)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        raise error(f"{path}: cannot be written ({problem.strerror}); choose a folder with room") from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
