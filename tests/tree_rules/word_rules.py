"""Checks that the words for the values of a public enum stand in one place.

Every enum of a public header has its table in a header *_words.h beside it;
nothing else in the product pairs a value of it with a word.
Each run first proves that the checker rejects known bad files.
Usage: word_rules.py ROOT
"""

import pathlib
import re
import sys
from collections.abc import Iterator

PUBLIC = "lib/include/"
WORDS = "_words.h"
ENUM = re.compile(r"^enum class (\w+)", re.MULTILINE)
TABLE = re.compile(r"^struct EnumWords<(\w+)>", re.MULTILINE)
WORD = r'"[a-z0-9]'  # a blank or a dot begins a part of a text


def spelled_again(enum: str) -> re.Pattern[str]:
    """{"word", Enum::kValue}, case Enum::kValue: return "word", and
    == Enum::kValue ? "word"."""
    value = rf"(?:\w+::)*\b{enum}::k\w+"
    return re.compile(rf"\{{\s*{WORD}[^\"]*\",\s*{value}|"
                      rf"\{{\s*{value},\s*{WORD}[\w-]*\"\s*\}}|"
                      rf"case {value}:\s*return {WORD}|"
                      rf"{value}\s*\?\s*{WORD}")


def faults(files: dict[str, str]) -> Iterator[str]:
    """The faults of {path: text}, one line each."""
    public = {path: text for path, text in files.items()
              if path.startswith(PUBLIC)}
    enums = [(path, enum) for path, text in public.items()
             for enum in ENUM.findall(text)]
    tables = [enum for path, text in public.items() if path.endswith(WORDS)
              for enum in TABLE.findall(text)]
    for path, enum in enums:
        if tables.count(enum) != 1:
            yield f"{path}: {enum} has {tables.count(enum)} tables of words"
    again = [(enum, spelled_again(enum)) for _, enum in enums]
    for path, text in files.items():
        if path.endswith(WORDS) and path in public:
            continue
        for enum, pattern in again:
            if f"{enum}::k" in text and pattern.search(text):
                yield f"{path}: words of {enum} that its table has"


def prove_itself() -> None:
    good = {"lib/include/shardine/a.h": "enum class E : int { kOne };\n",
            "lib/include/shardine/a_words.h":
                'struct EnumWords<E> {\n  {E::kOne, "one"}\n',
            "lib/a/a.cc": 'f("one", v); return {E::kOne, "a text"};\n'
                          'x == E::kOne ? " one" : ".two";\n'
                          'case Other::kOne:\n  return "one";\n'}
    if wrong := list(faults(good)):
        sys.exit(f"word_rules.py rejects good files: {wrong}")
    bad = {"lib/include/shardine/b.h": "enum class Wordless { kOne };\n",
           "lib/include/shardine/b_words.h": "struct EnumWords<E> {\n",
           "tools/a.cc": '{{"one", E::kOne}}',
           "python/a.cc": '{{shardine::E::kOne, "one"}}',
           "lib/a/b.cc": 'case E::kOne:\n      return "one";',
           "lib/a/c.cc": 'e == E::kOne ? "one" : "two"'}
    for path, text in bad.items():
        if not list(faults({**good, path: text})):
            sys.exit(f"word_rules.py accepts a bad file: {path}")


def main(root: pathlib.Path) -> int:
    prove_itself()
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
             for top in ("lib", "formats", "tools", "python")
             for path in sorted((root / top).rglob("*"))
             if path.suffix in (".h", ".cc")}
    wrong = list(faults(files))
    for line in wrong:
        print(line)
    print(f"{len(files)} files, {len(wrong)} words in two places")
    return 1 if wrong or len(files) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
