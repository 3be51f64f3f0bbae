"""Outputs of s3:// that exist already, and commands that meet them: the matrix of
tests/cli/programs/promise_test.py, whose states are put there."""

import os
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Iterator

import pytest

import s3_servers
from s3_objects import here, there, using

PROGRAMS = pathlib.Path(__file__).parents[1] / "cli" / "programs"
sys.path.insert(0, str(PROGRAMS))
os.environ.setdefault("SHARDINE_PYTHON", sys.executable)
import promise_test  # noqa: E402

pytest_plugins = ["own_cache", "places"]
# Commands whose output may be a bucket.
COMMANDS = [command for command in promise_test.COMMANDS
            if command not in ("resize", "cache clear")]
# The gate takes each of these; tools/nightly.sh losses takes all.
STEP = 1 if promise_test.IS_WHOLE else 3


class Matrix(promise_test.Promise):
    """Checks whose output is a prefix of a bucket: the prefix of the check before,
    where it left the state that the next one begins with, else a new one."""

    __test__ = False  # checks, and no test of its own
    address = ""
    number = 0
    known: promise_test.Files | None = None

    def publish(self) -> None:
        # A lock of this machine says nothing of the bucket.
        for lock in pathlib.Path("out").rglob("lock"):
            lock.unlink()
        begins_with = here(pathlib.Path("out"))
        if begins_with == self.known:
            return
        Matrix.number += 1
        self.prefix = f"promise/{Matrix.number}/"
        self.output = f"s3://data/{self.prefix.rstrip('/')}"
        self.known = begins_with
        if begins_with:
            s3_servers.upload(self.address, pathlib.Path("out"), self.prefix)

    def files(self) -> promise_test.Files:
        self.known = there(self.address, self.prefix, self.known)
        return self.known

    def runTest(self) -> None:  # noqa: N802
        pass


@pytest.fixture(scope="module")
def matrix(weed: str) -> Iterator[Matrix]:
    Matrix.address = weed
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as place, using(weed):
        os.chdir(place)
        Matrix.prepare()
        yield Matrix()
        os.chdir(before)
        shutil.rmtree("cache", ignore_errors=True)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_loses_objects_that_it_did_not_make(
    matrix: Matrix, command: str
) -> None:
    choices = [choice for choice in promise_test.choices() if choice[1] == command]
    number = COMMANDS.index(command)
    for choice in choices[number % STEP::STEP]:
        matrix.check(*choice)
