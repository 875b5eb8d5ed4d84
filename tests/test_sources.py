"""Every work that the program cites by author and year is cited in full in docs/sources.md."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = "docs/sources.md"
# A citation is a surname, perhaps more authors or a title, and a year: `Tarjan 1972`, `Silver et al. 2017` or
# `Gelly & Silver, "…", 2007`.
CITATION = re.compile(
    r"(?P<author>[A-ZŁ][\wäöüáéíóúçł-]+)(?: et al\.)?,? (?:\"[^\"]{0,120}\", )?\(?(?P<year>1[89]\d\d|20[012]\d)\b"
)
NOT_AUTHORS = {"Reversi", "Wrocław"}  # words before a year that are no authors: a rule sheet and a university
NAMED_ONLY = "Łańcucki 2013"  # the source that the program calls "the thesis"


def citations(text: str) -> set[tuple[str, str]]:
    joined = re.sub(r"\s*\n\s*(?://|#)?\s*", " ", text)
    return {(found["author"], found["year"]) for found in CITATION.finditer(joined)} - {
        (found["author"], found["year"]) for found in CITATION.finditer(joined) if found["author"] in NOT_AUTHORS
    }


def cited() -> dict[tuple[str, str], str]:
    sources = ["agent/*.py", "agent/*.hpp", "agent/*.cpp", "miner/*.py", "cluster/*.py", "lab/*.py"]
    listed = subprocess.run(
        ["git", "ls-files", *sources, "docs/*.md", "README.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found: dict[tuple[str, str], str] = {}
    for name in listed.stdout.split():
        if name != SOURCES:
            found |= dict.fromkeys(citations((ROOT / name).read_text("utf-8")), name)
    return found


def test_every_citation_is_in_the_list_of_sources() -> None:
    keys = re.findall(r"^- \*\*(.+) (\d{4})\*\*:", (ROOT / SOURCES).read_text("utf-8"), re.M)
    known = {(author, year) for names, year in keys for author in re.findall(r"[A-ZŁ][\w-]+", names)}
    missing = {f"{author} {year} ({place})" for (author, year), place in cited().items() if (author, year) not in known}
    assert not missing, missing


def test_every_source_is_cited_somewhere() -> None:
    keys = re.findall(r"^- \*\*(.+) (\d{4})\*\*:", (ROOT / SOURCES).read_text("utf-8"), re.M)
    found = cited()
    idle = [
        f"{names} {year}"
        for names, year in keys
        if f"{names} {year}" != NAMED_ONLY
        and not any((author, year) in found for author in re.findall(r"[A-ZŁ][\w-]+", names))
    ]
    assert not idle, idle
