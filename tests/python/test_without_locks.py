"""File systems that know no locks: flock() says ENOSYS, as on Lustre mounted so."""

import errno
import json
import os
import pathlib
import subprocess
import sys

import pytest
from command_line import files_of
from conftest import PHOTOS, SHARDINE
from without_locks import without_flock

def run(*command: object, codes: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run([SHARDINE, *map(str, command)], capture_output=True, text=True,
                          preexec_fn=without_flock)
    assert done.returncode in codes, done.stderr
    return done.stdout + done.stderr


def test_flock_is_not_there(tmp_path: pathlib.Path) -> None:
    code = "import fcntl, os; fcntl.flock(os.open('/', 0), fcntl.LOCK_SH)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          preexec_fn=without_flock)
    assert os.strerror(errno.ENOSYS) in done.stderr


@pytest.mark.filterwarnings("ignore")
def test_verbs_work_without_locks(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """field report C11."""
    out = tmp_path / "out"
    for command in (
        ["pack", PHOTOS, out / "packed", "--shard-size=128K", "--seed=7",
         "--variants=original,sz/160"],
        ["convert", packed, out / "tars", "--format=webdataset"],
        ["merge", packed, packed, out / "both", "--prefix={n}/"],
        ["resize", PHOTOS, out / "small", "--short-side=64"],
        ["index", next(packed.glob("*.rec")), out / "indexed"],
        ["extract", packed, out / "tree"],
        ["plan", "pack", PHOTOS, out / "tasks", "--to", tmp_path / "plan"],
    ):
        said = run(*command)
        assert command[0] != "pack" or "knows no locks" in said, said
    tasks = json.loads(run("status", tmp_path / "plan", "--json"))["tasks"]
    run("run-task", tmp_path / "plan", f"0-{tasks - 1}")
    run("finalize", tmp_path / "plan")
    assert files_of(out / "packed") == files_of(packed)
    for name in ("packed", "tars", "both", "tasks"):
        run("verify", out / name)
    assert not list(out.rglob(".pack"))
