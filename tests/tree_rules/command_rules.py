"""Checks that compile_commands.json in the root has a command of each source in the
folders given, so that editors and clang-tidy see all of them.

Each run first proves that the checker sees a source without a command.
Usage: command_rules.py ROOT FOLDER...
"""

import json
import pathlib
import sys

# Exit code of a test that cannot run here.
SKIPPED = 77


def without_command(sources: list[str], commands: list[dict[str, str]]) -> list[str]:
    named = {entry["file"] for entry in commands}
    return [source for source in sources if source not in named]


def main(root: pathlib.Path, folders: list[str]) -> int:
    if without_command(["/a.cc", "/b.cc"], [{"file": "/b.cc"}]) != ["/a.cc"]:
        raise SystemExit("command_rules.py does not see a source without a command")
    file = root / "compile_commands.json"
    if not file.exists():
        print("not run: there is no compile_commands.json, for which CMake needs Clang")
        return SKIPPED
    sources = [str(path) for folder in folders
               for path in sorted((root / folder).rglob("*.cc"))]
    wrong = without_command(sources, json.loads(file.read_text()))
    for source in wrong:
        print(f"{source} has no command")
    print(f"{len(sources)} sources, {len(wrong)} without a command")
    return 1 if wrong or len(sources) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
