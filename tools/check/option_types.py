"""Writes the types of the verbs' options that the library describes.

    option_types.py PACKAGE [--check]

PACKAGE is the folder of the built package, whose verb_options.py is written.
--check writes nothing, and fails where the file is not as it would be written.
"""

from __future__ import annotations

import ast
import importlib.util
import pathlib
import re
import sys
from typing import Any

MARK = "# writes them.\n"
# How Python gives a value of each kind.
TYPES = {
    "flag": "bool",
    "text": "str",
    "path": "Path",
    "number": "int",
    "integer": "int",
    "size": "Size",
    "names": "Union[str, Iterable[str]]",
    "sizes": "Union[int, str, Iterable[Union[int, str]]]",
    "shares": "Union[str, Mapping[str, float]]",
    "splits": "Union[str, Iterable[str], Mapping[str, float]]",
    "files": "Union[str, Mapping[str, str]]",
    "sources": "Source",
}
# The types in the signature of the function.
IN_SIGNATURE = {"card": {"out"}, "report": {"out"}, "resize": {"to"}}


def native(package: pathlib.Path) -> Any:
    """The native module alone: the package may lack a class that is yet to be made."""
    (path,) = package.glob("_core.*.so")
    spec = importlib.util.spec_from_file_location("_core", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def aliases(text: str) -> dict[tuple[str, ...], str]:
    """Names of the Literals, by their words."""
    found = re.findall(r"^(\w+) = Literal\[(.*)\]$", text, re.M)
    return {ast.literal_eval(f"({words},)"): name for name, words in found}


def class_of(
    verb: str, options: list[tuple[str, str, list[str]]], named: dict[tuple[str, ...], str]
) -> str:
    lines = [f"class {verb.title()}Options(TypedDict, total=False):",
             f'    """Options of {verb}."""', ""]
    for name, kind, words in options:
        if name in IN_SIGNATURE.get(verb, ()):
            continue
        literal = "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"
        written = named.get(tuple(words), literal) if words else TYPES[kind]
        lines.append(f"    {name}: Optional[{written}]")
    return "\n".join([*lines, "    progress: Progressing"])


def main() -> int:
    package = pathlib.Path(sys.argv[1])
    path = package / "verb_options.py"
    before = path.read_text(encoding="utf-8")
    head, _, _ = before.partition(MARK)
    named = aliases(head)
    classes = [class_of(verb, options, named)
               for verb, options in native(package).described_options().items()]
    after = head + MARK + "".join(f"\n\n{each}\n" for each in classes)
    if "--check" not in sys.argv[2:]:
        path.write_text(after, encoding="utf-8")
    elif before != after:
        print(f"{path}: the library describes other options; run option_types.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
