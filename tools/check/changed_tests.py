"""Selects the targets and tests of check.sh quick for changed files.

Prints the targets on one line, then a regular expression of tests. The table of
tests/tree_rules/include_rules.py says which rooms may include a changed room.
Usage: changed_tests.py ROOT PATH...
"""

import pathlib
import re
import sys
from collections.abc import Iterable

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests" / "tree_rules"))
from include_rules import FORMAT, LIB  # noqa: E402

PROGRAMS = {"shardine_cli", "im2rec", "folder2lmdb", "shardine_hdf5_scan"}
TREE_RULES = r"^[a-z]+_rules$"
# Test programs beside the unit tests, and the folders of their sources.
PROGRAM_OF_FOLDER = {"tests/conformance/region": "photo_regions_test",
                     "tests/conformance": "conformance"}


class Selection:
    """The targets to build and the patterns of tests to run."""

    def __init__(self) -> None:
        self.targets: set[str] = set()
        self.tests: set[str] = {TREE_RULES}

    def add_unit(self, room: str) -> None:
        if (ROOT / "tests" / "unit" / room).is_dir():
            self.targets.add(f"unit_{room}")
            self.tests.add(rf"^unit_{room}:")

    def add_room(self, room: str) -> None:
        """The tests of a room of lib/ and of the rooms that may include it."""
        for user in [room, *(name for name, may in LIB.items() if room in may)]:
            self.add_unit(user)
        if room in FORMAT:
            for folder in sorted((ROOT / "formats").iterdir()):
                self.add_unit(folder.name)

    def add_format(self, name: str) -> None:
        self.add_unit(name)
        self.add_unit(f"{name}_program")
        self.targets |= {"conformance", "format_bits_test"}
        self.tests |= {"^conformance:", rf"^format_bits_{name}$"}

    def add_programs(self, tests: str) -> None:
        self.targets |= PROGRAMS
        self.tests.add(tests)

    def add_python(self, tests: str = "^python_") -> None:
        self.targets |= {*PROGRAMS, "_core", "interruptible_probe"}
        self.tests.add(tests)

    def add_users_of(self, header: str) -> None:
        """The rooms whose sources include a header of tests/ or lib/include."""
        line = f'#include "{header}"'
        for path in sources():
            if line in (ROOT / path).read_text(errors="replace"):
                self.add(path)

    def add(self, path: str) -> None:
        parts = pathlib.PurePath(path).parts
        folder = "/".join(parts[:2])
        if folder == "lib/include":
            self.add_users_of("/".join(parts[2:]))
        elif parts[0] == "lib" and len(parts) > 2:
            self.add_room(parts[1])
        elif parts[0] == "formats" and len(parts) > 2:
            self.add_format(parts[1])
        elif folder == "tools/im2rec":
            self.add_unit("im2rec")
            self.add_programs("^cli_im2rec")
        elif parts[0] == "tools" and path.endswith((".cc", ".h")):
            self.add_unit("cli")
            self.add_programs("^cli_")
        elif parts[0] == "python" or folder == "tests/python":
            self.add_python()
        elif parts[0] == "tests":
            self.add_test(path, parts)

    def add_test(self, path: str, parts: tuple[str, ...]) -> None:
        parent = "/".join(parts[:-1])
        if parts[1] == "unit" and len(parts) > 3:
            self.add_unit(parts[2])
        elif parent in PROGRAM_OF_FOLDER:
            program = PROGRAM_OF_FOLDER[parent]
            self.targets.add(program)
            self.tests.add(f"^{program}:")
        elif parts[1] == "corruption" and path.endswith("_test.cc"):
            name = pathlib.PurePath(path).stem
            self.targets.add(name)
            self.tests.add(f"^{name}:|^{name.removesuffix('_test')}")
        elif parts[1] == "cli" and len(parts) > 4:
            self.add_programs(f"^cli_{parts[3]}$")
        elif parts[1] == "cli":
            self.add_programs("^cli_")
        elif parts[1] == "fuzz" and path.endswith("_fuzz.cc"):
            name = pathlib.PurePath(path).stem
            self.targets.add(f"{name}_replay")
            self.tests.add(f"^{name}_replay$")
        elif parts[1] == "support" and path.endswith(".h"):
            self.add_users_of("/".join(parts[1:]))


def sources() -> Iterable[str]:
    for folder in ("lib", "formats", "tools", "tests"):
        for path in sorted((ROOT / folder).rglob("*.cc")):
            yield str(path.relative_to(ROOT))


def main(paths: list[str]) -> None:
    selection = Selection()
    for path in paths:
        selection.add(re.sub(r"^\./", "", path))
    print(" ".join(sorted(selection.targets)) or "shardine_base")
    print("|".join(sorted(selection.tests)))


if __name__ == "__main__":
    main(sys.argv[2:])
