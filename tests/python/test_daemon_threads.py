"""Daemon threads: the interpreter does not wait for them at its end, and no such thread
may end the process."""

import pathlib
import subprocess
import sys

import pytest

WORK = {
    "a loader": "for batch in loader: pass",
    "many loaders": "list(shardine.Loader(path, batch_size=2, raw=True, seed=1))",
    "a dataset": "[dataset[i] for i in range(len(dataset))]",
    "a verb": "shardine.verify(path, progress=False)",
}
PROGRAM = """
import sys, threading, time
import shardine
path = sys.argv[1]
dataset = shardine.Dataset(path)
loader = shardine.Loader(dataset, batch_size=2, transform=shardine.Resize(32))
begun = threading.Event()
def work():
    while True:
        {work}
        begun.set()
threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.1)
"""


@pytest.mark.parametrize("work", WORK)
def test_a_daemon_at_work_does_not_abort_the_end(packed: pathlib.Path, work: str) -> None:
    for _ in range(3):  # where it is at the end is chance
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.replace("{work}", WORK[work]), str(packed)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert (done.returncode, done.stderr) == (0, "")
