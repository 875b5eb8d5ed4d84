"""Reading XML from outside: no document types, entities or network, limited size, located errors."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from lxml import etree

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.files.elements import Element, ElementError
from gdl_miner.agent.reading import open_file

_DOCTYPE = b"<!DOCTYPE"
_CAREFUL: dict[str, Any] = {  # of all parsers
    "encoding": "utf-8",
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
_TYPED = "a document type or an encoding other than UTF-8; remove <!DOCTYPE …> and save as UTF-8"


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class GuardedStream:
    """A byte stream that raises an error past `max_bytes`, at a document type and at a zero byte."""

    def __init__(self, source: _Readable, path: str, max_bytes: int, error: type[UserError]) -> None:
        self._source = source
        self._path = path
        self._left = max_bytes
        self._max_bytes = max_bytes
        self._error = error
        self._tail = b""

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes and at most 1 MiB. Raises the error class given to the constructor."""
        data = self._source.read(min(size, 1 << 20) if size >= 0 else 1 << 20)
        self._left -= len(data)
        if self._left < 0:
            raise self.error(f"larger than {self._max_bytes >> 20} MiB; split the file")
        seen = self._tail + data
        if _DOCTYPE in seen or b"\0" in data:
            raise self.error(_TYPED)
        self._tail = seen[1 - len(_DOCTYPE) :]
        return data

    def error(self, what: str) -> UserError:
        """Return the error of this stream that says what is wrong."""
        return self._error(f"{self._path}: {what}")


@contextmanager
def open_xml(path: Path, max_bytes: int, error: type[UserError]) -> Iterator[GuardedStream]:
    """Open a file, decompressed if its first bytes are those of gzip; failures become the error class given."""
    try:
        with open_file(path) as plain:
            compressed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            source: BinaryIO | gzip.GzipFile = gzip.GzipFile(fileobj=plain) if compressed else plain
            yield GuardedStream(source, str(path), max_bytes, error)
    except (OSError, EOFError) as problem:
        what = getattr(problem, "strerror", None) or str(problem)
        raise error(f"{path}: cannot be read ({what}); give the path of a whole, readable XML file") from None
    except etree.XMLSyntaxError as problem:
        line = problem.lineno or 0
        raise error(f"{path}:{line}: {problem.msg or 'malformed XML'}; mend the XML") from None


def parse_xml(stream: GuardedStream) -> Element:
    """Read a whole document and return its root."""
    parser = etree.XMLParser(**_CAREFUL)
    while data := stream.read():
        parser.feed(data)
    root = parser.close()
    _refuse_type(root, stream)
    return root


def iterate_xml(stream: GuardedStream) -> Iterator[tuple[str, Element]]:
    """Read a document element by element; yields ("start" or "end", element).

    The document is read as UTF-8 whatever it says, because the bytes of other encodings could hide a document type from
    the stream, as those of UTF-7 do.
    """
    events = etree.iterparse(stream, events=("start", "end"), **_CAREFUL)
    begun = False
    for event, element in cast(Iterator[tuple[str, Element]], events):
        if not begun:
            _refuse_type(element, stream)
        begun = True
        yield event, element


def _refuse_type(element: Element, stream: GuardedStream) -> None:
    """Raise the error of the stream where the parser has seen a document type."""
    if element.getroottree().docinfo.internalDTD is not None:
        raise stream.error(_TYPED)


def schema_of(package: str, name: str) -> etree.XMLSchema:
    """Return a schema that is shipped with a package."""
    return etree.XMLSchema(etree.fromstring(resources.files(package).joinpath(name).read_bytes()))


def schema_problem(schema: etree.XMLSchema, element: Element) -> tuple[int, str] | None:
    """Return line and text of the first violation of a schema in an element, None if the element is valid."""
    if schema.validate(element):
        return None
    first = cast(Any, schema.error_log)[0]  # its type is private to lxml
    return first.line, first.message.removesuffix(".")


@contextmanager
def located(path: Path, error: type[UserError]) -> Iterator[None]:
    """Turn mistakes in elements into the error class given, with the file's name and the line."""
    try:
        yield
    except ElementError as problem:
        raise error(f"{path}:{problem.line}: {problem}") from None
