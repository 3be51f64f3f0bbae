"""Checks the pages: the targets of links are there, the README is short, long pages
have their contents, and the table of rooms in lib/README.md equals the include rules'
table.

Each run first proves that the checker rejects a known bad page.
Usage: page_rules.py ROOT | --links FOLDER
"""

import pathlib
import re
import sys

from include_rules import LIB

MAX_README_WORDS = 1200
LINK = re.compile(r"\]\((?!https?://)([^)#]+)[^)]*\)")
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CONTENTS = re.compile(r"^(?:\[[^]]+\]\(#[^)]+\)[,.]\s)+", re.MULTILINE)
MOST_LINES = 100  # of a page without contents, two screens
ROOM = re.compile(r"^\| (\w+) \| [^|]+ \| ([\w, ]*)\|$", re.MULTILINE)


def dead_links(page: pathlib.Path, text: str) -> list[str]:
    """The links of a page that lead nowhere."""
    return [link for link in LINK.findall(text)
            if not (page.parent / link).exists()]


def rooms_of(text: str) -> dict[str, set[str]]:
    """The table of lib/README.md: room -> rooms that it may include."""
    return {room: set(filter(None, allowed.strip().split(", ")))
            for room, allowed in ROOM.findall(text) if room != "room"}


def anchor_of(heading: str) -> str:
    """The fragment of a link to a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def contents_of(text: str) -> str:
    """The list of contents that a page is to have; empty: none."""
    headings = HEADING.findall(CODE.sub("", text))
    if len(text.splitlines()) <= MOST_LINES or len(headings) < 3:
        return ""
    links = [f"[{heading.replace('`', '')}](#{anchor_of(heading)})"
             for heading in headings]
    return ",\n".join(links) + ".\n"


def prove_itself(root: pathlib.Path) -> None:
    if dead_links(root / "README.md", "[a](LICENSE) [b](no/such.md)") != [
            "no/such.md"]:
        sys.exit("page_rules.py does not see a dead link")
    if contents_of("## A b, c\n" * 3 + "\n" * MOST_LINES) != (
            ",\n".join(["[A b, c](#a-b-c)"] * 3) + ".\n"):
        sys.exit("page_rules.py does not know the contents of a page")
    if rooms_of("| room | what | may include |\n| io | files | base |\n| base | bytes | |\n") != {
            "io": {"base"}, "base": set()}:
        sys.exit("page_rules.py does not read the table of rooms")


def pages_of(root: pathlib.Path) -> list[pathlib.Path]:
    return [page for page in root.rglob("*.md")
            if not {"build", ".git"} & set(page.relative_to(root).parts)]


def link_faults(root: pathlib.Path) -> list[str]:
    return [f"{page.relative_to(root)}: leads to {link}, which is not there"
            for page in pages_of(root)
            for link in dead_links(page, page.read_text(encoding="utf-8"))]


def say(pages: int, faults: list[str]) -> int:
    for line in faults:
        print(line)
    print(f"{pages} pages, {len(faults)} faults")
    return 1 if faults or pages < 10 else 0


def main(root: pathlib.Path) -> int:
    prove_itself(root)
    faults = link_faults(root)
    pages = pages_of(root)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if (contents := contents_of(text)) not in text:
            faults.append(f"{page.relative_to(root)}: its contents are to be\n{contents}")
    words = len((root / "README.md").read_text(encoding="utf-8").split())
    if words > MAX_README_WORDS:
        faults.append(f"README.md: {words} words, at most {MAX_README_WORDS}")
    drawn = rooms_of((root / "lib/README.md").read_text(encoding="utf-8"))
    for room in sorted({*drawn, *LIB}):
        if drawn.get(room) != LIB.get(room):
            faults.append(f"lib/README.md: {room} may include "
                          f"{LIB.get(room)}, the table says {drawn.get(room)}")
    return say(len(pages), faults)


if __name__ == "__main__":
    given = pathlib.Path(sys.argv[-1])
    if sys.argv[1] == "--links":
        sys.exit(say(len(pages_of(given)), link_faults(given)))
    sys.exit(main(given))
