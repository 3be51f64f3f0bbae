"""Checks that a type's name is defined once, and the namespaces of tests.

Two types of one name in one namespace, each in a file of its own, are compiled
without a word; then the linker takes the members of one for both. Tests are
compiled several at once: X_test.cc defines everything in shardine::X_test.
Each run first proves that the checker rejects known bad files.
Usage: name_rules.py ROOT
"""

import collections
import pathlib
import re
import sys
from collections.abc import Iterator

OPENS = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{$")
CLOSES = re.compile(r"\}  // namespace")
# At the beginning of a line: types inside another type have that one's name. A
# specialisation has arguments, a nested type that is defined apart has colons.
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) "
                  r"(?:alignas\([^)]*\) |\[\[\w+\]\] )?(\w+)(?: final)?"
                  r"(?: \{| :[^:].*|$)")


def types_of(text: str) -> Iterator[str]:
    """The types that other files can mean, too."""
    spaces: list[str] = []
    for line in text.splitlines():
        if opened := OPENS.match(line):
            spaces.append(opened[1] or "")
        elif CLOSES.match(line):
            spaces.pop()
        elif (defined := TYPE.match(line)) and "" not in spaces:
            yield "::".join([*spaces, defined[1]])


def faults(files: dict[str, str]) -> Iterator[str]:
    """The faults of {path: text}, one line each."""
    places = collections.defaultdict(list)
    for path, text in files.items():
        for name in types_of(text):
            places[name].append(path)
    for name, paths in places.items():
        if len(paths) > 1:
            yield f"{name} is defined in {' and '.join(paths)}"


def namespace_faults(files: dict[str, str]) -> Iterator[str]:
    """The test sources of {path: text} outside the namespace of their name."""
    for path, text in files.items():
        name = pathlib.PurePath(path).name
        if not name.endswith("_test.cc"):
            continue
        opened = {match[1] for match in map(OPENS.match, text.splitlines()) if match}
        if opened - {None} != {f"shardine::{name[:-3]}"}:
            yield f"{path}: its namespace is not shardine::{name[:-3]}"


def prove_itself() -> None:
    spaces = {"tests/a_test.cc": "namespace shardine::a_test {\nnamespace {\n",
              "tests/b_test.cc": "namespace shardine {\nnamespace {\n",
              "tests/c_test.cc": "struct A {\n", "tests/d.cc": "struct A {\n"}
    if len(list(namespace_faults(spaces))) != 2:
        sys.exit("name_rules.py does not find tests outside of their namespaces")
    ours = "namespace shardine {\nstruct A {\n"
    other = "namespace shardine {\nnamespace {\nclass A : public B {\n"
    good = {"a.h": ours + "};\nclass B;\nenum class C : int {\n",
            "a.cc": other + "}  // namespace\nstruct A::B {\n  struct C {\n",
            "b.h": "namespace shardine {\nclass B {\nstruct C<int> {\n",
            "c.h": "namespace shardine::binding {\nclass A {\n"}
    if wrong := list(faults(good)):
        sys.exit(f"name_rules.py rejects good files: {wrong}")
    for bad in ("class A final : public B {\n", "struct alignas(8) A {\n",
                "enum class A : int {\n", "class A\n    : public B {\n"):
        if len(list(faults({"a.h": ours, "b.cc": "namespace shardine {\n" + bad}))) != 1:
            sys.exit(f"name_rules.py accepts {bad!r}")


def main() -> None:
    prove_itself()
    root = pathlib.Path(sys.argv[1])
    files = {str(path.relative_to(root)): path.read_text(errors="replace")
             for folder in ("lib", "formats", "tools", "python", "tests")
             for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cc")}
    found = [*faults(files), *namespace_faults(files)]
    print("\n".join([*found, f"{len(files)} files, {len(found)} names twice"]))
    sys.exit(1 if found or not files else 0)


if __name__ == "__main__":
    main()
