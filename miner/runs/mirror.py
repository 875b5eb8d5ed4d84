"""The mirror of a run: a copy of its folder at a URL, from which the run goes on where the folder is not.

    URL/manifest-0.json manifest-1.json     which pieces the files of the folder are, written in turn: the later whole
                                            one counts
    URL/pieces/3f…                          contents, named by their SHA-256

Copies are made after tasks of the journal, and where the run ends or is interrupted. The manifest is written last, so
what counts is always the whole folder as it was at some time, however a copy was cut short; what is half done there is
cut off when the run goes on. Of a file that has grown, the new end alone is copied. Nothing is ever deleted at the URL.

The folder keeps the URL in `checkpoints/mirror`, which is no part of the mirror. The library smart_open does the
reading and writing. It comes with Ray, and knows file:// by itself; for s3://, gs:// and azure:// it asks for one more
library each.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field, TypeAdapter, ValidationError

from gdl_miner.agent.errors import ConfigError, UserError, first_line
from gdl_miner.agent.files.new_file import is_unfinished, replace_file, storing, unfinished_path
from gdl_miner.miner.results.store import FOLDERS, MIRROR, RAY_LOG, WORK

_LARGEST_SHARE = 0.05  # of a run's time that copies may take
_MOST_PIECES = 100  # of a file; one that has more is copied whole
_OF_THE_MOMENT = (WORK, RAY_LOG, MIRROR)  # they say nothing to a run that goes on elsewhere
_CONFIG, _JOURNAL = "config.json", "checkpoints/journal.jsonl"
_STORAGES = ("file", "s3", "gs", "azure")  # schemes that smart_open can write
_FORMAT: Final = 1


class Piece(NamedTuple):
    """A part of a file."""

    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    length: Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Manifest:
    """A folder at the URL."""

    format: Literal[1]
    number: Annotated[int, Field(ge=0)]  # how many were written before it
    files: Mapping[str, Sequence[Piece]]  # by path in the folder, in the order of pieces


_MANIFEST = TypeAdapter(Manifest)
_NOTHING = Manifest(_FORMAT, 0, {})


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
        self._not_before = begun + took / _LARGEST_SHARE

    def _read(self) -> Manifest:
        known = _read_manifest(self._url) or _NOTHING
        if known.files:
            self._check(known)
        self._known = known
        return known

    def _check(self, known: Manifest) -> None:
        """Raise UserError where a manifest is of another run, or ahead of the folder."""
        pieces = known.files.get(_CONFIG, ())
        kept, rest = _split((self._folder / _CONFIG).read_bytes(), pieces)
        if rest or len(kept) < len(pieces):
            raise UserError(f"{self._url}: the mirror of another run; give another --mirror, with --or-resume")
        journal = self._folder / _JOURNAL
        there = sum(piece.length for piece in known.files.get(_JOURNAL, ()))
        if there > (journal.stat().st_size if journal.exists() else 0):
            raise UserError(
                f"{self._url}: the mirror is ahead of {self._folder}, because the run went on elsewhere; move the "
                "folder away and start again with --or-resume, which fetches the mirror"
            )

    def _copy(self, known: Manifest) -> None:
        _prepare(self._url)
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
            written = Manifest(_FORMAT, known.number + 1, files)
            _write(_manifest_url(self._url, written.number), _MANIFEST.dump_json(written))
            self._known = written
        self._stats = stats

    def _fail(self, error: Exception) -> None:
        if not self._failed:
            self._note(
                f"the mirror {self._url} is not up to date: {first_line(error)}; the run goes on, and tries again"
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


def checked_mirror(url: str) -> str:
    """Return the URL of a mirror as it is used; where that is a folder, make it.

    Raises UserError where nothing can be written to a URL of its kind, or the folder cannot be made.
    """
    from smart_open.transport import get_transport  # tenths of a second; few runs have a mirror

    parts = urlsplit(url)
    if parts.scheme not in _STORAGES:
        kinds = ", ".join(f"{each}://" for each in _STORAGES)
        raise UserError(f"--mirror {url}: no URL of a storage; give one of {kinds}, such as file:///shared/mirror")
    if parts.username is not None:
        raise UserError(
            "--mirror: a user or a password in the URL, which files would tell; set them in the environment"
        )
    if parts.scheme == "file" and (parts.netloc or not parts.path.startswith("/")):
        raise UserError(f"--mirror {url}: a path that is not absolute; give file:///its/path")
    try:
        get_transport(parts.scheme)
    except ImportError as error:
        command = str(error).strip().splitlines()[-1].strip().replace("pip ", ".venv/bin/pip ")
        raise UserError(f"--mirror {url}: a library for {parts.scheme}:// is missing; type: {command}") from None
    url = url.rstrip("/")
    try:
        _prepare(url)
    except OSError as error:
        raise UserError(f"--mirror {url}: {first_line(error)}") from None
    return url


def keep_mirror(folder: Path, url: str) -> None:
    """Let the run in a folder have a mirror from its next start on.

    Raises UserError as Mirror does, where the mirror is of another run, or ahead of the folder.
    """
    Mirror(url, folder, lambda _: None)
    replace_file(folder / MIRROR, url.encode())


def kept_mirror(folder: Path) -> str:
    """Return the URL of the mirror of the run in a folder, empty where there is none."""
    path = folder / MIRROR
    return path.read_text("utf-8") if path.exists() else ""


def has_mirror(url: str) -> bool:
    """Return whether a run is mirrored at a URL. Raises UserError where it cannot be read, or is damaged."""
    try:
        return _read_manifest(url) is not None
    except OSError as error:
        raise UserError(f"{url}: the mirror cannot be read: {first_line(error)}") from None


def fetch_run(url: str, folder: Path) -> bool:
    """Make the folder of a run, which keeps its mirror, from that mirror; return False where there is none.

    Raises UserError where the mirror cannot be read, or is damaged; then there is no folder.
    """
    try:
        known = _read_manifest(url)
    except OSError as error:
        raise UserError(f"{url}: the mirror cannot be read: {first_line(error)}") from None
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
            (new / MIRROR).write_text(url, "utf-8")
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
        raise UserError(f"{url}: the mirror cannot be read: {first_line(error)}") from None
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
    """Return the last whole manifest; None where there is none.

    Raises OSError where the URL cannot be read, and ConfigError where no manifest is whole.
    """
    _prepare(url)
    found, damaged = [], 0
    for number in range(2):
        try:
            found.append(_MANIFEST.validate_json(_content(_manifest_url(url, number))))
        except ValidationError:
            damaged += 1  # one may be a copy that was cut short
        except OSError as error:
            if not _is_missing(error):
                raise
    if damaged == 2:
        raise ConfigError(f"{url}: the mirror is damaged, or of another version; give another --mirror")
    return max(found, key=lambda each: each.number, default=None)


def _is_missing(error: OSError) -> bool:
    """Whether an error says that there is no such file, in the words of the storage."""
    text = str(error)
    no_bucket = "bucket does not exist" in text or "NoSuchBucket" in text
    return isinstance(error, FileNotFoundError) or (("NoSuchKey" in text or "404" in text) and not no_bucket)


def _prepare(url: str) -> None:
    """Make the folder of a mirror that is a folder. Raises OSError where the folder around it is not there."""
    if url.startswith("file://"):
        path = Path(url.removeprefix("file://"))
        if not path.parent.is_dir():
            raise OSError(f"there is no folder {path.parent} on this machine; make it, or mount the storage")
        (path / "pieces").mkdir(parents=True, exist_ok=True)


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

    with smart_open.open(url, "wb", compression="disable") as file:
        file.write(content)
