"""Shared by the tests of the programs: a place to work in, photos, a run."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Any

Finished = subprocess.CompletedProcess[bytes]

CLI_TESTS = pathlib.Path(__file__).resolve().parent.parent
ROOT = CLI_TESTS.parent.parent
PHOTOS = ROOT / "testdata" / "photos"
# A test that pytest runs has SHARDINE set; any other has the first argument.
if "SHARDINE" in os.environ:
    BIN = os.path.dirname(os.path.abspath(os.environ["SHARDINE"]))
else:
    BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
sys.path.insert(0, str(CLI_TESTS))

VERBS = ("pack resize verify index reindex convert split shuffle merge relabel diff "
         "audit report card bench info ls cat extract export list scan formats").split()
# One operand too many, or too few.
BAD_OPERANDS = {verb: ["x"] if verb == "formats" else [] for verb in VERBS}

# The files and the class of each, as in fixture.sh.
FILES = {
    "hounds": ["Irish_wolfhound.JPEG", "Norwegian_elkhound.JPEG",
               "made_gray.jpg"],
    "terriers": ["Norwich_terrier.JPEG", "Sealyham_terrier.JPEG", "cairn.JPEG"],
}


def is_sanitized() -> bool:
    """Whether the programs were built with a sanitizer, which itself opens
    files and takes memory."""
    with open(f"{BIN}/shardine", "rb") as file:
        return b"__ubsan_handle" in file.read()


def environment(**more: str) -> dict[str, str]:
    names = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "PYTHONPATH",
             "NO_PROXY")
    kept = {name: value for name, value in os.environ.items()
            if name in names or name.startswith("AWS_")}
    return {"PATH": f"{BIN}:{os.environ['PATH']}", "LC_ALL": "C", **kept,
            **more}


def run(*arguments: str, program: str = "shardine",
        env: dict[str, str] | None = None, **options: Any) -> Finished:
    """The finished process, its streams as bytes unless they go elsewhere."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run(
        [f"{BIN}/{program}", *arguments], check=False, timeout=120,
        env=environment(**(env or {})), **options)


def done(*arguments: str, **options: Any) -> Finished:
    """run(), which must succeed."""
    finished = run(*arguments, **options)
    assert finished.returncode == 0, (arguments, finished.stderr)
    return finished


def make_photos(folder: str) -> None:
    for name, files in FILES.items():
        os.makedirs(f"{folder}/{name}")
        for file in files:
            shutil.copy(PHOTOS / name / file, f"{folder}/{name}")


def flip(path: str, offset: int) -> None:
    with open(path, "r+b") as file:
        file.seek(offset, os.SEEK_END if offset < 0 else os.SEEK_SET)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))


class Case(unittest.TestCase):
    """Each test in an empty folder of its own class."""

    place: tempfile.TemporaryDirectory[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = tempfile.TemporaryDirectory(prefix="shardine-programs-")
        os.chdir(cls.place.name)
        cls.prepare()

    @classmethod
    def prepare(cls) -> None:
        make_photos("photos")

    @classmethod
    def tearDownClass(cls) -> None:
        os.chdir("/")
        cls.place.cleanup()
