"""The starting point of the tests of all engines: a plan of several tasks, programs
that do something to a task before they do it, and the expected output."""

import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

SHARDINE = os.environ["SHARDINE"]  # the program
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
TASKS = 7

# The stand-in for the program on the workers. $task is the number of the task or, where
# a process has several of them, of the rank.
_PROGRAM = """#!/bin/sh
real={real}
[ "$1" = run-task ] || exec "$real" "$@"
for task; do :; done
task=${{OMPI_COMM_WORLD_RANK:-$task}}
first() {{ mkdir {marks}/"$task.$1" 2>/dev/null; }}
{before}
exec "$real" "$@"
"""


def shardine(*words: object, code: int = 0) -> str:
    """The program's output."""
    done = subprocess.run(
        [SHARDINE, *map(str, words)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "SHARDINE_PYTHON": sys.executable},
    )
    assert done.returncode == code, words
    return done.stdout


class World:
    """A folder with photos and a plan of them."""

    def __init__(self, folder: pathlib.Path, *options: str, copies: int = 1) -> None:
        self.folder = folder
        self.photos = folder / "photos"
        self.options = [f"--shards={TASKS}", "--seed=7", *options]
        shutil.copytree(PHOTOS, self.photos)
        for photo in sorted(self.photos.glob("*/*")):
            for copy in range(1, copies):
                shutil.copy(photo, photo.with_name(f"{copy}-{photo.name}"))
        self.out = folder / "out"
        self.plan_file = folder / "photos.plan"
        self.marks = folder / "marks"
        self.marks.mkdir()

    def plan(self, out: pathlib.Path | None = None) -> str:
        """The plan's file, with a task for each shard."""
        self.out = out or self.out
        shardine("plan", "pack", self.photos, self.out, *self.options,
                 "--task-size=1", "--to", self.plan_file)
        return str(self.plan_file)

    def program(self, before: str) -> str:
        """Does the lines of shell `before` each task."""
        path = self.folder / f"program-{len(list(self.folder.iterdir()))}"
        path.write_text(_PROGRAM.format(real=shlex.quote(SHARDINE),
                                        marks=shlex.quote(str(self.marks)), before=before))
        path.chmod(0o755)
        return str(path)

    def packed(self, code: int = 0) -> dict[str, bytes]:
        """The output of one process for the same."""
        whole = self.folder / "whole"
        shardine("pack", self.photos, whole, *self.options, code=code)
        return files_of(whole)

    def tasks_done(self) -> int:
        return len(list(self.out.glob(".pack/*.done"))) if self.out.exists() else 0


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes()
            for file in sorted(folder.rglob("*")) if file.is_file()}


def marks_of(folder: pathlib.Path) -> dict[str, tuple[int, ...]]:
    """Facts that differ once a file or folder was written, or another has its name."""
    return {str(file): (at.st_mtime_ns, at.st_ctime_ns, at.st_ino, at.st_size)
            for file in sorted(folder.rglob("*")) for at in [file.stat()]}


def start_driver(plan: str, engine: str, options: dict[str, Any]) -> subprocess.Popen[bytes]:
    """distribute() in a process that can be killed."""
    code = f"import shardine; shardine.distribute({plan!r}, {engine!r}, **{options!r})"
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL,
                            start_new_session=True)


def kill_driver(driver: subprocess.Popen[bytes]) -> None:
    """The process at once, and then its children: Spark's takes its time."""
    driver.kill()
    driver.wait()
    time.sleep(0.2)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(driver.pid, signal.SIGKILL)
