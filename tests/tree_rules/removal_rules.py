"""Checks that nothing in the product removes a folder with all that is in it.

Files go one by one, by names that the program gave: a folder of the user's, or
one that a program took for its own, may hold files of others. A temporary folder
that a program made for itself, under a name of its own, is in ALLOWED.
Each run first proves that the checker rejects known bad lines.
Usage: removal_rules.py ROOT
"""

import pathlib
import re
import sys
from collections.abc import Iterator

PRODUCT = ("lib", "formats", "tools", "python")
SOURCES = {".cc", ".h", ".py"}
BY_TREE = re.compile(r"\b(?:remove_all|rmtree|removedirs|nftw|FTW_DEPTH|RemoveTree)\b"
                     r"|\brm -[a-z]*r")
# Made by mkdtemp or an exclusive mkdir, and named after the process.
ALLOWED = {"tools/folder2lmdb/folder2lmdb.cc"}


def faults(path: str, text: str) -> Iterator[str]:
    """The faults of a file, one line each."""
    if path in ALLOWED:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if BY_TREE.search(line):
            yield f"{path}:{number}: removes a folder with all that is in it"


def prove_itself() -> None:
    good = "fs::remove(path, error);\nos.rmdir(folder)\nos.remove(path)\n"
    if list(faults("lib/a.cc", good)):
        sys.exit("removal_rules.py rejects good lines")
    for line in ("fs::remove_all(path);", "shutil.rmtree(folder)",
                 "os.removedirs(folder)", "nftw(path, Remove, 8, FTW_DEPTH);",
                 'system("rm -rf " + path);'):
        if not list(faults("python/a.py", line)):
            sys.exit(f"removal_rules.py lets {line!r} pass")


def main() -> None:
    prove_itself()
    root = pathlib.Path(sys.argv[1])
    wrong: list[str] = []
    for folder in PRODUCT:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in SOURCES and "/build/" not in name:
                wrong += faults(name, path.read_text(encoding="utf-8"))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
