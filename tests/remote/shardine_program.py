"""The program under test."""

import os
import re
import subprocess

SHARDINE = os.environ["SHARDINE"]


def run(*arguments: object, **others: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SHARDINE, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, **others}, timeout=120)


def output(*arguments: object, **others: str) -> str:
    """The output of a run that must succeed, without parts that differ by nature."""
    done = run(*arguments, **others)
    assert done.returncode == 0, done.stderr
    return re.sub(r" in \d.*", "", done.stdout)
