"""The mirror of a run: a copy of its folder at a URL, from which the run goes on where the folder is not.

    URL/manifest-0.json manifest-1.json     which pieces the files of the folder are, written in turn: the later whole
                                            one counts
    URL/pieces/3f…                          contents, named by their SHA-256

Copies are made after tasks of the journal. The manifest is written last, so what counts is always the whole folder as
it was after some task, however a copy was cut short. Of a file that has grown, the new end alone is copied. Nothing is
ever deleted at the URL.

The library smart_open does the reading and writing. It comes with Ray, and knows file:// by itself; for s3://, gs://
and others it asks for one more library each.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field, TypeAdapter, ValidationError

from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.files.new_file import is_unfinished, storing, unfinished_path
from gdl_miner.miner.results.store import FOLDERS, RAY_LOG, WORK

_LARGEST_SHARE = 0.05  # of a run's time that copies may take
_LONGEST_S = 300.0  # seconds between two copies
_MOST_PIECES = 100  # of a file; one that has more is copied whole
_OF_THE_MOMENT = (WORK, RAY_LOG)  # they say nothing to a run that goes on
_CONFIG, _JOURNAL = "config.json", "checkpoints/journal.jsonl"


class Piece(NamedTuple):
    """A part of a file."""

    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    length: Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Manifest:
    """A folder at the URL."""

    number: Annotated[int, Field(ge=0)] = 0  # how many were written before it
    files: Mapping[str, Sequence[Piece]] = field(default_factory=dict)  # by path in the folder, in the order of pieces


_MANIFEST = TypeAdapter(Manifest)


class Mirror:
    """The mirror of the run in a folder, to which this process copies."""

    def __init__(self, url: str, folder: Path, note: Callable[[str], None]) -> None:
        """Read what is at the URL; `note` is told of what fails from now on, which never ends the run.

        Raises UserError where the mirror is of another run, or ahead of the folder.
        """
        self._url = url
        self._folder = folder
        self._note = note
        self._known: Manifest | None = None  # None where the mirror could not be read
        self._stats: dict[str, tuple[int, int, int]] = {}  # of the files that are there as they are here
        self._failed = False
        self._not_before = 0.0
        try:
            self._read()
        except OSError as error:
            self._fail(error)

    def copy(self, *, last: bool = False) -> None:
        """Copy what has changed, unless that took long and was not long ago; the `last` copy is made all the same.

        After a failed copy the next one waits, also the last.
        """
        begun = time.monotonic()
        if begun < self._not_before and (self._failed or not last):
            return
        try:
            self._copy(self._known or self._read())
            if self._failed:
                self._note(f"the mirror {self._url} is up to date again")
            self._failed = False
        except Exception as error:  # of any library of any kind of storage
            self._fail(error)
        took = time.monotonic() - begun
        self._not_before = begun + took + min(took / _LARGEST_SHARE, _LONGEST_S)

    def _read(self) -> Manifest:
        known = _read_manifest(self._url) or Manifest()
        if known.files:
            self._check(known)
        self._known = known
        return known

    def _check(self, known: Manifest) -> None:
        """Raise UserError where a manifest is of another run, or ahead of the folder."""
        pieces = known.files.get(_CONFIG, ())
        kept, rest = _split((self._folder / _CONFIG).read_bytes(), pieces)
        if rest or len(kept) < len(pieces):
            raise UserError(f"{self._url}: the mirror of another run; give another --mirror")
        journal = self._folder / _JOURNAL
        there = sum(piece.length for piece in known.files.get(_JOURNAL, ()))
        if there > (journal.stat().st_size if journal.exists() else 0):
            raise UserError(
                f"{self._url}: the mirror is ahead of {self._folder}, because the run went on elsewhere; move the "
                "folder away and start again with --or-resume, which fetches the mirror"
            )

    def _copy(self, known: Manifest) -> None:
        files: dict[str, Sequence[Piece]] = {}
        stats = {}
        there = {piece for pieces in known.files.values() for piece in pieces}
        for path in sorted(self._folder.rglob("*")):
            name = path.relative_to(self._folder).as_posix()
            if is_unfinished(path) or name in _OF_THE_MOMENT or not path.is_file():
                continue
            stat = path.stat()
            stats[name] = stat.st_size, stat.st_mtime_ns, stat.st_ino
            files[name] = known.files.get(name, ())
            if stats[name] == self._stats.get(name):
                continue
            kept, rest = _split(content := path.read_bytes(), files[name])
            if len(kept) >= _MOST_PIECES:
                kept, rest = [], content
            new = [Piece(sha256(rest).hexdigest(), len(rest))] if rest else []
            for piece in new:
                if piece not in there:
                    _write(f"{self._url}/pieces/{piece.digest}", rest)
            files[name] = [*kept, *new]
        if files != known.files:
            written = Manifest(known.number + 1, files)
            _write(_manifest_url(self._url, written.number), _MANIFEST.dump_json(written))
            self._known = written
        self._stats = stats

    def _fail(self, error: Exception) -> None:
        if not self._failed:
            self._note(
                f"the mirror {self._url} is not up to date: {_first_line(error)}; the run goes on, and tries again"
            )
        self._failed = True


@contextmanager
def mirrored(url: str, folder: Path, note: Callable[[str], None]) -> Iterator[Callable[[], None]]:
    """Keep a mirror of the run in a folder inside the block; without a URL there is none.

    Yields what copies; a last copy is made at the end of the block in any case. Raises and calls `note` as Mirror does.
    """
    if not url:
        yield lambda: None
        return
    mirror = Mirror(url, folder, note)
    try:
        yield mirror.copy
    finally:
        mirror.copy(last=True)


def check_mirror(url: str) -> None:
    """Raise UserError where nothing can be written to a URL of its kind."""
    from smart_open.transport import SUPPORTED_SCHEMES, get_transport  # tenths of a second; few runs have a mirror

    scheme = urlsplit(url).scheme
    try:
        get_transport(scheme)
    except ImportError as error:
        command = str(error).strip().splitlines()[-1].strip().replace("pip ", ".venv/bin/pip ")
        raise UserError(f"--mirror {url}: a library for {scheme}:// is missing; type: {command}") from None
    except NotImplementedError:
        kinds = ", ".join(f"{each}://" for each in SUPPORTED_SCHEMES if each)
        raise UserError(f"--mirror {url}: no storage for {scheme}://; those that are known here: {kinds}") from None
    if not scheme:
        raise UserError(f"--mirror {url}: not a URL; a folder is file:///its/path")


def fetch_run(url: str, folder: Path) -> bool:
    """Make the folder of a run from its mirror; return False where there is no mirror.

    Raises UserError where the mirror cannot be read, or is damaged; then there is no folder.
    """
    try:
        known = _read_manifest(url)
    except OSError as error:
        raise UserError(f"{url}: the mirror cannot be read: {_first_line(error)}") from None
    if known is None:
        return False
    new = unfinished_path(folder)
    try:
        with storing(folder):
            for name, pieces in known.files.items():
                path = new / _inside(url, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as file:
                    for piece in pieces:
                        file.write(_piece(url, piece))
            for name in FOLDERS:
                (new / name).mkdir(parents=True, exist_ok=True)
            new.replace(folder)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return True


def _inside(url: str, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name or not path.parts:
        raise ConfigError(f"{url}: the mirror is damaged (a file {name[:80]!r})")
    return path


def _piece(url: str, piece: Piece) -> bytes:
    try:
        content = _content(f"{url}/pieces/{piece.digest}")
    except OSError as error:
        raise UserError(f"{url}: the mirror cannot be read: {_first_line(error)}") from None
    if sha256(content).hexdigest() != piece.digest:
        raise ConfigError(f"{url}/pieces/{piece.digest}: damaged; the run cannot go on from this mirror")
    return content


def _split(content: bytes, pieces: Sequence[Piece]) -> tuple[list[Piece], bytes]:
    """Return the first of the pieces, those with which a content begins, and what comes after them."""
    kept, end = [], 0
    for piece in pieces:
        if sha256(content[end : end + piece.length]).hexdigest() != piece.digest:
            break
        kept.append(piece)
        end += piece.length
    return kept, content[end:]


def _manifest_url(url: str, number: int) -> str:
    return f"{url}/manifest-{number % 2}.json"


def _read_manifest(url: str) -> Manifest | None:
    """Return the last whole manifest; None where there is none. Raises OSError where the URL cannot be read."""
    found = []
    for number in range(2):
        try:
            content = _content(_manifest_url(url, number))
            found.append(_MANIFEST.validate_json(content))
        except ValidationError:
            continue  # its writing was cut short
        except OSError as error:
            if not _is_missing(error):
                raise
    return max(found, key=lambda each: each.number, default=None)


def _is_missing(error: OSError) -> bool:
    """Whether an error says that there is no such file, in the words of the storage."""
    said = str(error)
    return isinstance(error, FileNotFoundError) or "NoSuchKey" in said or "BlobNotFound" in said or said[:4] == "404 "


def _content(url: str) -> bytes:
    import smart_open  # as above

    try:
        with smart_open.open(url, "rb", compression="disable") as file:
            content: bytes = file.read()
    except OSError:
        raise
    except Exception as error:  # each storage has errors of its own
        raise OSError(str(error)) from error
    return content


def _write(url: str, content: bytes) -> None:
    import smart_open  # as above

    if url.startswith("file://"):
        Path(url.removeprefix("file://")).expanduser().parent.mkdir(parents=True, exist_ok=True)
    with smart_open.open(url, "wb", compression="disable") as file:
        file.write(content)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
