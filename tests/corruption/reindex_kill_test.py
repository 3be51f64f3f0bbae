#!/usr/bin/env python3
"""reindex_kill_test.py SHARDINE PHOTOS: kill -9 at a sample of system calls, by
strace, while entry points are added to a dataset of three shards with two
sizes, and while they are removed.

After each kill verify finds nothing wrong, and the same command gives the files
of an undisturbed run.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

# Calls that change the disk, and the counts (per thread) to kill at.
CALLS = {
    "openat": [20, 40, 60],
    "mkdir": [1, 2, 3],
    "flock": [1, 2, 3],
    "write": [1, 2, 3, 5],
    "fdatasync": [1, 2, 4],
    "fsync": [1, 2, 3, 4, 5, 8],
    "rename": [1, 2, 3, 5],
    "unlink": [1, 2, 3, 5, 8],
    "rmdir": [1, 2, 3],
}


def check(condition: bool, message: str) -> None:
    if not condition:
        sys.exit(f"FAILED: {message}")


def run(*command: str) -> int:
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).returncode


def contents(folder: str) -> dict[str, bytes]:
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def check_kills(shardine: str, work: str, before: str, wanted: str) -> int:
    def reindex(out: str, *prefix: str) -> int:
        return run(*prefix, shardine, "reindex", out, "--entry-points", wanted,
                   "-j", "2")

    whole = os.path.join(work, "whole-" + wanted)
    shutil.copytree(before, whole)
    check(reindex(whole) == 0, "reindex")
    expected = contents(whole)
    points = sum(name.endswith(".sde") for name in expected)
    check(points == (9 if wanted == "auto" else 0), f"{points} files of points")
    killed = 0
    for call, counts in CALLS.items():
        for count in counts:
            out = os.path.join(work, "killed")
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(before, out)
            code = reindex(out, "strace", "-f", "-qq", "-o",
                           os.path.join(work, "trace"),
                           "-e", f"trace=?{call}", "-e",
                           f"inject=?{call}:signal=SIGKILL:when={count}")
            where = f"{wanted}, killed at {call} {count} (exit {code})"
            # strace ends as its child did; a call that never comes kills no process.
            check(code in (0, -signal.SIGKILL, 128 + signal.SIGKILL), where)
            killed += code != 0
            check(run(shardine, "verify", out) == 0, f"{where}: not sound")
            check(reindex(out) == 0, f"{where}: does not go on")
            check(contents(out) == expected, f"{where}: other bytes")
    check(killed >= 12, f"only {killed} runs were killed: does strace work here?")
    return killed


def main() -> None:
    shardine, photos = sys.argv[1:]
    killed = 0
    with tempfile.TemporaryDirectory() as work:
        for has, wanted in (("none", "auto"), ("auto", "none")):
            before = os.path.join(work, has)
            check(run(shardine, "pack", photos, before, "--shards", "3",
                      "--variants", "original,sz/48,sz/64",
                      "--entry-points", has) == 0, "pack")
            killed += check_kills(shardine, work, before, wanted)
    print(f"{killed} kills survived")


if __name__ == "__main__":
    main()
