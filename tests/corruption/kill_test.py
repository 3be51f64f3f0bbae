#!/usr/bin/env python3
"""kill_test.py SHARDINE FORMAT [PHOTOS]: kill -9 at a sample of system calls, by
strace.

A pack of three shards is killed at the N-th call of each kind that changes the
disk. After each kill no file under a final name differs from the undisturbed
run's, and the same command finishes the work with the same bytes. The same
bytes also come out under other locales and thread counts. With PHOTOS, a folder
tree, the pack is of these, and makes two sizes of each along with the original.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence

# Calls that change the disk, and the counts (per thread) to kill at.
CALLS = {
    "openat": [20, 40, 60],
    "mkdir": [1, 2, 3, 5],
    "flock": [1],
    "write": [1, 2, 3, 5, 8, 12],
    "pwrite64": [1, 2, 3, 5],
    "pwritev": [1, 2],
    "fdatasync": [1, 2],
    "fsync": [1, 2, 3, 4, 5, 8, 12],
    "rename": [1, 2, 3, 5],
    "close": [5, 15, 30],
    "unlink": [1, 2],
    "rmdir": [1],
}


FORMAT = sys.argv[2]
PHOTOS = sys.argv[3] if len(sys.argv) > 3 else None
OPTIONS = (["--variants", "original,sz/48,sz/64", "--on-bad", "skip"] if PHOTOS
           else ["--check", "none"])
GOOD = 3 if PHOTOS else 0  # done, and one page was left out


def make_tree(folder: str) -> None:
    if PHOTOS:
        shutil.copytree(PHOTOS, folder)
        with open(f"{folder}/things/page.jpg", "w") as file:
            file.write("<html></html>")
        return
    for c in range(3):
        os.makedirs(f"{folder}/class{c}")
        for i in range(8):
            with open(f"{folder}/class{c}/{i}.jpg", "wb") as file:
                file.write(bytes((c * 31 + i * 7 + k * k) % 256
                                 for k in range(1000 * (i + 1))))


def contents(folder: str) -> dict[str, bytes]:
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def pack(shardine: str, tree: str, out: str, before: Sequence[str] = (),
         env: dict[str, str] | None = None, threads: str = "2") -> int:
    return subprocess.run(
        [*before, shardine, "pack", tree, out, "--shards", "3", *OPTIONS,
         "-j", threads, "--format", FORMAT], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=env).returncode


def check(condition: bool, message: str) -> None:
    if not condition:
        sys.exit(f"FAILED: {message}")


def check_kills(shardine: str, tree: str, work: str,
                whole: dict[str, bytes]) -> int:
    killed = 0
    for call, counts in CALLS.items():
        for count in counts:
            out = os.path.join(work, "killed")
            shutil.rmtree(out, ignore_errors=True)
            strace = ["strace", "-f", "-qq", "-o", os.path.join(work, "trace"),
                      "-e", f"trace=?{call}",
                      "-e", f"inject=?{call}:signal=SIGKILL:when={count}"]
            code = pack(shardine, tree, out, strace)
            where = f"killed at {call} {count} (exit {code})"
            # strace ends as its child did; a call that never comes kills no process.
            check(code in (GOOD, -signal.SIGKILL, 128 + signal.SIGKILL), where)
            killed += code != GOOD
            for name, data in contents(out).items():
                if not any(part.startswith(".") for part in name.split("/")):
                    check(whole.get(name) == data, f"{where}: {name} is not whole")
            check(pack(shardine, tree, out) in (0, GOOD), f"{where}: does not go on")
            check(contents(out) == whole, f"{where}: other bytes after going on")
    check(killed >= 15, f"only {killed} runs were killed: does strace work here?")
    return killed


def check_locales(shardine: str, tree: str, work: str,
                  whole: dict[str, bytes]) -> None:
    known = subprocess.run(["locale", "-a"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.lower()
    check("tr_tr.utf8" in known, "the locale tr_TR.UTF-8 is not installed; "
          "tools/install_deps.sh makes it")
    for name, threads in (("C", "1"), ("tr_TR.UTF-8", "7")):
        out = os.path.join(work, "locale-" + name)
        env = dict(os.environ, LC_ALL=name, LANG=name)
        check(pack(shardine, tree, out, env=env, threads=threads) == GOOD, name)
        check(contents(out) == whole, f"other bytes under {name}")


def main() -> None:
    shardine = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "tree")
        make_tree(tree)
        check(pack(shardine, tree, os.path.join(work, "whole")) == GOOD, "pack")
        whole = contents(os.path.join(work, "whole"))
        check_locales(shardine, tree, work, whole)
        print(f"{check_kills(shardine, tree, work, whole)} kills survived")


if __name__ == "__main__":
    main()
