"""Datasets that the real CLI packed of testdata/photos."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import shardine

Source = pathlib.Path | shardine.Dataset  # the input of a Loader

SHARDINE = os.environ["SHARDINE"]  # the program
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"


def pack(source: pathlib.Path, out: pathlib.Path, *options: str) -> pathlib.Path:
    subprocess.run(
        [SHARDINE, "pack", str(source), str(out), *options],
        check=True,
        capture_output=True,
    )
    return out


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """24 photos of 3 classes in several shards, and a smaller variant."""
    return pack(
        PHOTOS,
        tmp_path_factory.mktemp("packed") / "out",
        "--shard-size=128K",
        "--seed=7",
        "--variants=original,sz/160",
    )


@pytest.fixture
def own_copy(packed: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    """A copy that tests may damage."""
    return pathlib.Path(shutil.copytree(packed, tmp_path / "copy"))


def damage(folder: pathlib.Path, image: Any) -> pathlib.Path:
    """Flips a bit in the middle of an image's bytes; returns its shard."""
    for shard in sorted(folder.glob("*.rec")):
        content = bytearray(shard.read_bytes())
        at = content.find(image)
        if at >= 0:
            content[at + len(image) // 2] ^= 0x10
            shard.write_bytes(content)
            return shard
    raise AssertionError("the image is in no shard")


def threads_of_this_process() -> int:
    """Threads that do not exit (PF_EXITING of linux/sched.h). The kernel lists one for
    a moment after it was joined."""
    count = 0
    for stat in pathlib.Path("/proc/self/task").glob("*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            flags = int(stat.read_text().rpartition(")")[2].split()[6])
            count += not flags & 4
    return count


def threads_and_files() -> tuple[int, int]:
    """The numbers of both in this process."""
    return threads_of_this_process(), len(os.listdir("/proc/self/fd"))


def in_a_fork(work: Callable[[], None]) -> None:
    """A block that runs in a child process, and must succeed."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
