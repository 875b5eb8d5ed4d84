"""The known games and knowledge files, and the recognition of rules that arrive."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.errors import ConfigError, KnowledgeError, UserError
from gdl_miner.agent.files.untrusted_xml import iterate_xml, open_xml
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl.renaming import Renaming, find_renaming, form_digest
from gdl_miner.agent.gdl.rules import RuleSheet, read_sheet
from gdl_miner.agent.knowledge.knowledge_xml import MAX_BYTES

__all__ = ["KnownGames", "Recognised"]

MOST_FILES = 10_000


@dataclass(frozen=True)
class Recognised:
    """Rules that came over the network, with the known sheet and the knowledge that fit them."""

    sheet: RuleSheet  # the sheet that is played: the known sheet if there is one, else the received one
    renaming: Renaming | None  # from the words of the received sheet to those of `sheet`; None if they are the same
    knowledge: Path | None


class KnownGames:
    """The bundled rule sheets, and the sheets (`*.kif`) and knowledge files (`*.xml`) of a folder and its subfolders.

    If a game has several knowledge files, `best.xml` is used, else the newest file.
    """

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None and not folder.is_dir():
            raise ConfigError(f"{folder}: no such folder; give one with knowledge files")
        sheets = [*bundled().values(), *_files(folder, ".kif")]
        self._sheets = [sheet for sheet in map(_readable, sheets) if sheet is not None]
        self._forms: dict[str, list[RuleSheet]] = {}
        for sheet in self._sheets:
            self._forms.setdefault(form_digest(sheet), []).append(sheet)
        self._knowledge: dict[str, Path] = {}
        for path in sorted(_files(folder, ".xml"), key=lambda path: (path.name == "best.xml", path.stat().st_mtime)):
            digest = _digest_of(path)
            if digest:
                self._knowledge[digest] = path

    @property
    def games(self) -> tuple[str, ...]:
        """Names of the games that have knowledge; a digest stands for a game without a known sheet."""
        names = {sheet.digest: sheet.name for sheet in self._sheets}
        return tuple(sorted(names.get(digest, digest[:12]) for digest in self._knowledge))

    def recognise(self, theirs: RuleSheet) -> Recognised:
        """Find a game by its digest, else by its form up to renaming; known sheets with knowledge are preferred."""
        known = self._knowledge.get(theirs.digest)
        for ours in self._sheets:
            if ours.digest == theirs.digest:
                return Recognised(ours, None, known)
        if known is not None:
            return Recognised(theirs, None, known)
        alike = self._forms.get(form_digest(theirs), [])
        for ours in sorted(alike, key=lambda sheet: sheet.digest not in self._knowledge):
            renaming = find_renaming(theirs, ours)
            if renaming is not None:
                same = all(old == new for old, new in renaming.forward.items())
                return Recognised(ours, None if same else renaming, self._knowledge.get(ours.digest))
        return Recognised(theirs, None, None)


def _files(folder: Path | None, suffix: str) -> list[Path]:
    if folder is None:
        return []
    found = sorted(path for path in folder.rglob(f"*{suffix}") if path.is_file())
    if len(found) > MOST_FILES:
        raise ConfigError(f"{folder}: {len(found)} {suffix} files; give a folder with at most {MOST_FILES}")
    return found


def _readable(path: Path) -> RuleSheet | None:
    try:
        return read_sheet(path)
    except UserError:
        return None


def _digest_of(path: Path) -> str:
    """Return the digest of the rules that a knowledge file is for; an empty text for other files."""
    try:
        with open_xml(path, MAX_BYTES, KnowledgeError) as stream:
            for _, element in iterate_xml(stream):
                return str(element.get("digest", "")) if element.tag == "Knowledge" else ""
    except KnowledgeError:
        pass
    return ""
