"""The programs of the package shardine: `pip install` makes a command of each function.

Each becomes the program, with the arguments of this process. This module stands
outside the package so that a command does not import NumPy first.
"""

import importlib.util
import os
import pathlib
import sys
from typing import NoReturn


def _run(name: str) -> NoReturn:
    package = importlib.util.find_spec("shardine")
    if package is None or package.origin is None:
        sys.exit(f"{name}: the package shardine, which has this program, is not installed")
    program = pathlib.Path(package.origin).parent / "bin" / name
    # For `shardine run`, which becomes Python again.
    os.environ.setdefault("SHARDINE_PYTHON", sys.executable)
    try:
        os.execv(program, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: {program}: {error.strerror}: install shardine again")


def shardine() -> NoReturn:
    _run("shardine")


def im2rec() -> NoReturn:
    _run("im2rec")


def folder2lmdb() -> NoReturn:
    _run("folder2lmdb")
