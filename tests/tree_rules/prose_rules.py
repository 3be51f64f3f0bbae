"""Checks the prose of comments and of commit titles.

A comment's sentence begins with its subject: no line of one begins with Of, Those
or That. Some words hide the noun that a sentence needs: WORDS lists them. A commit title since SINCE
is an imperative of at most 72 characters.
Each run first proves that the checker rejects known bad lines.
Usage: prose_rules.py ROOT
"""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

FOLDERS = ("lib", "formats", "tools", "python", "tests")
SUFFIXES = (".h", ".cc", ".py", ".sh", ".cmake", ".txt")
COMMENT = re.compile(r"^\s*(?://+|#)(?!!) ?(.*)|\s(?://|#) (.*)")
WORDS = re.compile(r"^(?:Of|Those|That)\b|"
                   r"\b(?:who|whom|anew|that of|none of|is there twice)\b|"
                   r"(?<![`\"])\bwhat\b(?! to\b)", re.IGNORECASE)
BEGINNING = re.compile(r"^(?:of|those|that)\b")  # in the middle of a sentence
SINCE = "2026-11-28 00:00"
TITLE = re.compile(r"[A-Z][a-z]+\b(?<!ing)(?<!ed)(?<![^s]s)[^.]*(?<!\s)$")
VERBS_IN_ED = {"Embed", "Feed", "Need", "Seed", "Shed", "Speed"}
LONGEST_TITLE = 72


def comments(path: str, text: str) -> Iterator[tuple[int, str]]:
    """The comment of each line that has one, with the line's number."""
    marks = "//" if path.endswith((".h", ".cc")) else "#"
    for number, line in enumerate(text.splitlines(), 1):
        if (found := COMMENT.search(line)) and marks in line:
            yield number, found[1] if found[1] is not None else found[2]


def faults(path: str, text: str) -> Iterator[str]:
    """The lines of a text whose comments have other than plain words."""
    for number, comment in comments(path, text):
        if (word := WORDS.search(comment)) and not BEGINNING.match(comment):
            yield f"{path}:{number}: '{word[0]}' in a comment"


def title_fault(title: str) -> str | None:
    """Why a commit title is refused, if it is."""
    if len(title) > LONGEST_TITLE:
        return f"{len(title)} characters"
    first = title.partition(" ")[0]
    if first not in VERBS_IN_ED and not TITLE.match(title):
        return f"'{first}' is no imperative, or a full stop ends it"
    return None


def titles(root: pathlib.Path) -> list[str] | None:
    """The titles of commits since SINCE; None without their history."""
    if not (root / ".git").exists():
        return None
    log = subprocess.run(["git", "-C", root, "log", "--no-merges", "--format=%s",
                          f"--since={SINCE}"], capture_output=True, text=True, check=False)
    return log.stdout.splitlines() if log.returncode == 0 else None


def prove_itself() -> None:
    good = ("// The rows that `what` names.\n// of them\nf(\"// Of\");\n",
            "# Each line that has one.\nname = 'anew'\n")
    for text, path in zip(good, ("lib/a.cc", "tools/a.py"), strict=True):
        if wrong := list(faults(path, text)):
            sys.exit(f"prose_rules.py rejects good lines: {wrong}")
    bad = ("// Of the rows the first.\n", "  // Those are read.\n", "x();  // That holds.\n",
           "// Whoever holds it, who asks.\n", "// The size is read anew.\n",
           "// What a scan finds.\n", "/// None of them.\n", "// A name is there twice.\n")
    for text in bad:
        if not list(faults("lib/a.cc", text)):
            sys.exit(f"prose_rules.py accepts a bad line: {text}")
    for title in ("Read rows of a table once", "Pass on what a test found", "Embed the page"):
        if title_fault(title):
            sys.exit(f"prose_rules.py rejects a good title: {title}")
    for title in ("Reads rows", "Reading rows", "Added rows", "rows", "Read rows.",
                  "Read " + "rows " * 14):
        if not title_fault(title):
            sys.exit(f"prose_rules.py accepts a bad title: {title}")


def main(root: pathlib.Path) -> int:
    prove_itself()
    paths = [path for top in FOLDERS for path in sorted((root / top).rglob("*"))
             if path.suffix in SUFFIXES and (path.suffix != ".txt"
                                             or path.name == "CMakeLists.txt")]
    wrong = [fault for path in paths
             for fault in faults(path.relative_to(root).as_posix(),
                                 path.read_text(encoding="utf-8"))]
    found = titles(root)
    if found is None:
        print("no history here: titles of commits are not checked")
    wrong += [f"commit '{title}': {fault}" for title in found or ()
              if (fault := title_fault(title))]
    for line in wrong:
        print(line)
    print(f"{len(paths)} files, {len(found or ())} titles, {len(wrong)} faults")
    return 1 if wrong or len(paths) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
