"""The same call, of the program and of the package."""

import json
import pathlib
import random
import re
import subprocess
from collections.abc import Iterable, Mapping
from typing import Any

from conftest import SHARDINE

Files = dict[str, bytes]


def value_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}={each}" for name, each in value.items())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return ",".join(map(str, value)) or "none"
    return str(value)


def as_flags(options: Mapping[str, object]) -> list[str]:
    """--no-X for X=False, --X for X=True, --X=VALUE for the rest."""
    flags = []
    for name, value in options.items():
        dashed = name.replace("_", "-")
        if value is False:
            flags.append(f"--no-{dashed}")
        else:
            flags.append(f"--{dashed}" + ("" if value is True else f"={value_text(value)}"))
    return flags


def run(verb: str, *operands: object, **options: object) -> None:
    subprocess.run(
        [SHARDINE, verb, *map(str, operands), *as_flags(options)],
        check=True,
        capture_output=True,
    )


def json_of(verb: str, *operands: object, **options: object) -> Any:
    """The output of --json; also of a verb that found something."""
    done = subprocess.run(
        [SHARDINE, verb, "--json", *map(str, operands), *as_flags(options)],
        stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout)


def files_of(folder: pathlib.Path) -> Files:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def drawn(
    draw: random.Random, choices: Mapping[str, list[Any]], most: int
) -> dict[str, Any]:
    """Draws up to so many of the options, each with one of its values."""
    names = draw.sample(sorted(choices), draw.randint(0, most))
    return {name: draw.choice(choices[name]) for name in names}


def described_options(verb: str) -> dict[str, str]:
    """The options of --help by name, with the words for their values."""
    text = subprocess.run(
        [SHARDINE, verb, "--help"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    lines = re.findall(r"^  (?:-\w, )?--([\w-]+)(?: (\S+))?", text, re.MULTILINE)
    return {name.replace("-", "_"): meta for name, meta in lines}
