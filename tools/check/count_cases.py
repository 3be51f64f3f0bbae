#!/usr/bin/env python3
"""Counts the test cases that the last ctest run of a build ran.

Prints the number of each kind and fails where one is below the number in the table
COUNTS (lines of kind, tab, number), so that no change drops cases unnoticed. Usage:
count_cases.py BUILD COUNTS
"""

import pathlib
import re
import sys

STARTED = re.compile(r"^\d+/\d+ Test: (\S.*)$", re.M)
# pytest's closing lines: "910 passed, 2 skipped in 101.20s".
PYTEST = re.compile(r"^(?:\d+ failed, )?(\d+) passed(?:, [^\n]*)? in [\d.]+s", re.M)


def cases(log: str) -> dict[str, int]:
    """Kind -> cases, from the text of ctest's LastTest.log."""
    names = STARTED.findall(log)
    return {"C++": sum(":" in name for name in names),
            "Python": sum(map(int, PYTEST.findall(log))),
            "programs": sum(name.startswith("cli_") for name in names)}


def main(build: str, table: str) -> None:
    log = pathlib.Path(build, "Testing/Temporary/LastTest.log")
    found = cases(log.read_text(errors="replace"))
    print("cases: " + ", ".join(f"{n} {kind}" for kind, n in found.items()))
    rows = pathlib.Path(table).read_text().splitlines()
    least = {kind: int(n) for kind, n in (row.split("\t") for row in rows)}
    fewer = [f"{kind}: {found[kind]} cases ran, {table} has {n}"
             for kind, n in least.items() if found[kind] < n]
    sys.exit("\n".join(fewer) or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
