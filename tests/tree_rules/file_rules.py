"""Checks the names, guards and sizes of all source files.

Names say one thing, once: snake_case, unique over the tree, no grab-bags.
No program contains the path of its source: two folders build the same bytes.
No text of the library names a command or an option of the command line, which
it does not know: the tools add their own. One file reads the environment. Formats
show names of foreign files by ShowName(), which has a bound.
Each run first proves that the checker rejects known bad files.
Usage: file_rules.py ROOT
"""

import pathlib
import re
import sys
from collections.abc import Iterator

GRAB_BAGS = {"utils", "util", "common", "helpers", "misc", "manager"}
MAX_LINES = 600
SOURCE_PATH = re.compile(r"\b__(FILE|BASE_FILE)__|\bsource_location\b")
MAX_PUBLIC_LINES = 200
PUBLIC = "lib/include/"
# An option in a string literal of one line.
OPTION = re.compile(r'"(?:[^"\\\n]|\\.)*(?<!-)--[a-z](?:[^"\\\n]|\\.)*"')
COMMAND = re.compile(
    r'"(?:[^"\\\n]|\\.)*\bshardine (?:pack|resize|verify|index|reindex|convert|merge|'
    r'relabel|diff|bench|info|ls|cat|extract|list|scan|formats)\b(?:[^"\\\n]|\\.)*"')


def speaks_commands(path: str, text: str) -> bool:
    if not path.startswith(("lib/", "formats/")):
        return False
    lines = (line.split("//")[0] for line in text.splitlines())
    return any(OPTION.search(line) or COMMAND.search(line) for line in lines)


# A reader thread must not read it while the program changes it.
ENVIRONMENT = re.compile(r"\b(?:secure_)?getenv\s*\(|\benviron\b")
READS_ENVIRONMENT = "lib/base/environment.cc"


def reads_environment(path: str, text: str) -> bool:
    if path.startswith("tests/") or path == READS_ENVIRONMENT:
        return False
    return any(ENVIRONMENT.search(line.split("//")[0]) for line in text.splitlines())


# A name of a foreign file may have gigabytes.
SHOWS_NAME = re.compile(r"\bEscapeBytes\(|\bsubstr\(0, 80\)")
# Not a message, a letter, and the other process's words on itself.
ESCAPES = {"formats/webdataset/sample_json.cc", "formats/webdataset/tar_reader.cc",
           "formats/hdf5/sandbox/sandbox_greeting.cc", "formats/lmdb/arrow_batch.cc"}


def shows_any_name(path: str, text: str) -> bool:
    if not path.startswith("formats/") or path in ESCAPES:
        return False
    return any(SHOWS_NAME.search(line.split("//")[0]) for line in text.splitlines())


def guarded(path: str, text: str) -> str | None:
    """The include guard of lib/io/storage.h, if it is SHARDINE_IO_STORAGE_H_
    (leading folders may be left out or kept, the file's name may not)."""
    found = re.search(r"^#ifndef SHARDINE_(\w+)\n#define SHARDINE_\1\n", text,
                      re.MULTILINE)
    words = re.sub(r"\W", "_", path).upper() + "_"
    name = re.sub(r"\W", "_", pathlib.PurePath(path).name).upper() + "_"
    if found and words.endswith(found[1]) and found[1].endswith(name):
        return found[1]
    return None


def faults(files: dict[str, str]) -> Iterator[str]:
    """The faults of {path: text}, one line each."""
    first: dict[str, str] = {}
    guards: dict[str, str] = {}
    for path, text in files.items():
        name = pathlib.PurePath(path).name
        stem = name.split(".")[0]
        if not re.fullmatch(r"[a-z0-9_]+\.(h|cc)", name):
            yield f"{path}: not snake_case"
        if GRAB_BAGS & set(stem.split("_")):
            yield f"{path}: a name that says nothing"
        # A public header may have a private part of the same name.
        if not path.startswith(("tests/", PUBLIC)):
            if first.setdefault(name, path) != path:
                yield f"{path}: same name as {first[name]}"
        if speaks_commands(path, text):
            yield f"{path}: a text that speaks the language of the command line"
        if not path.startswith("tests/") and SOURCE_PATH.search(text):
            yield f"{path}: a path of the build; __FILE_NAME__ is unique"
        if reads_environment(path, text):
            yield f"{path}: reads the environment, which {READS_ENVIRONMENT} does"
        if shows_any_name(path, text):
            yield f"{path}: a name in a message without ShowName()"
        if path.endswith(".h"):
            found = guarded(path, text)
            if not found:
                yield f"{path}: no include guard of that name"
            elif guards.setdefault(found, path) != path:
                yield f"{path}: same include guard as {guards[found]}"
        limit = MAX_PUBLIC_LINES if path.startswith(PUBLIC) else MAX_LINES
        if text.count("\n") > limit:
            yield f"{path}: more than {limit} lines"


def guard(name: str) -> str:
    return f"#ifndef SHARDINE_{name}\n#define SHARDINE_{name}\n"


def prove_itself() -> None:
    good = {"lib/io/a.h": guard("IO_A_H_"),
            "lib/io/a.cc": '"a -- b"; x = "a"; --x; // "--force"\n',
            "tools/a_verb.cc": '"--force" __FILE_NAME__',
            "tests/a_test.cc": "__FILE__",
            READS_ENVIRONMENT: "for (char** each = environ;;)\n",
            "lib/io/h.cc": "Environment::Read(); // as getenv()\n",
            "lib/include/shardine/a.h": guard("A_H_")}
    if wrong := list(faults(good)):
        sys.exit(f"file_rules.py rejects good files: {wrong}")
    bad = {"lib/io/BigName.cc": "", "lib/io/file_utils.cc": "",
           "lib/pack/a.cc": "", "lib/io/b.h": "",
           "lib/io/c.h": guard("IO_A_H_"), "lib/io/d.h": guard("PACK_D_H_"),
           "lib/include/shardine/io_a.h": guard("IO_A_H_"),
           "lib/io/long.cc": "\n" * 601,
           "lib/io/e.cc": 'Status("use --force")',
           "lib/io/h.cc": "Fail(__FILE__);",
           "tools/i.cc": "std::source_location::current()",
           "lib/io/g.cc": 'Status("try `shardine verify`")',
           "lib/io/i.cc": 'std::getenv("HOME");\n',
           "tools/cli/j.cc": 'secure_getenv (name);\n',
           "python/binding/k.cc": "extern char** environ;\n",
           "formats/lmdb/f.cc": '"\\"a\\" --force"',
           "formats/lmdb/g.cc": '"\\"" + EscapeBytes(name)',
           "formats/lmdb/h.cc": "name.substr(0, 80)",
           "lib/include/shardine/long.h": guard("LONG_H_") + "\n" * 199}
    for path, text in bad.items():
        if not list(faults({**good, path: text})):
            sys.exit(f"file_rules.py accepts a bad file: {path}")


def source_files(root: pathlib.Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
            for top in ("lib", "formats", "tools", "tests", "python")
            for path in sorted((root / top).rglob("*"))
            if path.suffix in (".h", ".cc")}


def main(root: pathlib.Path) -> int:
    prove_itself()
    files = source_files(root)
    wrong = list(faults(files))
    for line in wrong:
        print(line)
    print(f"{len(files)} files, {len(wrong)} faults")
    return 1 if wrong or len(files) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
