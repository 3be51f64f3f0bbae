"""Imports an engine's needs, or raises an error with the way to install them."""

from __future__ import annotations

import importlib
import shutil
from typing import Any

from ..errors import NotFoundError


def package(name: str, distribution: str) -> Any:
    """The module of that name, of a package that pip knows by `distribution`."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"this engine needs the package {distribution}: pip install {distribution} "
            f"({error})"
        ) from None


def program(name: str, engine: str, debian: str) -> str:
    """The path of a program."""
    path = shutil.which(name)
    if path is None:
        raise NotFoundError(
            f"{engine}: there is no program {name} on this machine: install {engine}'s "
            f"client programs (Debian: apt install {debian})"
        )
    return path
