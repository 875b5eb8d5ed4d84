"""Links lead somewhere, records in docs/lab are linked and dated, and pages do not speak of earlier versions."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_LISTED = subprocess.run(
    ["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
)
PAGES = sorted(ROOT / name for name in _LISTED.stdout.split() if (ROOT / name).exists())
PAST = re.compile(r"\b(?:earlier versions?|no longer|formerly|since then|used to be|made again|until now)\b", re.I)
LINK = re.compile(r"\[(?:[^]\[]|\[[^]]*\])*\]\(([^)\s]+)\)")


def text_of(page: Path) -> str:
    """The text of a page without its blocks and words of code."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^ {4,}(?! *[-*\d]).*$", "", text, flags=re.M))


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    return [link for link in LINK.findall(text_of(page)) if not re.match(r"\w+:", link)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link}: there is no such file"
        assert not anchor or anchor in anchors(target), f"{link}: there is no such heading"


def test_every_record_is_linked_from_a_page() -> None:
    linked = {(page.parent / link.partition("#")[0]).resolve() for page in PAGES for link in links(page)}
    records = set((ROOT / "docs/lab").glob("20*.md"))
    assert records
    assert not records - linked


def test_the_name_of_a_record_begins_with_its_date() -> None:
    for record in (ROOT / "docs/lab").glob("*.md"):
        if record.name != "README.md":
            date = re.match(r"\d{4}-\d\d-\d\d", record.name)
            assert date, record.name
            assert f"Record of {date[0]}." in record.read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_but_records_and_the_changelog_speaks_of_earlier_versions(page: Path) -> None:
    if page.name != "CHANGELOG.md" and page.parent.name != "lab":
        assert not PAST.findall(page.read_text("utf-8"))
