"""Writers among processes and threads; killed, left to themselves, and how much they
hold."""

import dataclasses
import json
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
from command_line import files_of
from conftest import PHOTOS, in_a_fork
from writing import verify

import shardine
import shardine.writer


def test_a_writer_is_not_for_other_processes(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(tmp_path / "out", format="tfrecord") as writer:
        with pytest.raises(TypeError, match="one process"):
            pickle.dumps(writer)
        writer.write({"n": 1})
        # A spawned one inherits no lock, and finds the folder taken.
        script = (
            "import sys, shardine\n"
            "try: shardine.Writer(sys.argv[1], format='tfrecord')\n"
            "except shardine.ExistsError as error: print(error)"
        )
        said = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "out")],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        assert "another run of shardine is at work" in said
    verify(tmp_path / "out")


ENDLESS = """
import sys, os
import shardine
with shardine.Writer(sys.argv[1], format="tfrecord", shard_size="1M") as writer:
    for i in range(10**9):
        writer.write({"noise": os.urandom(10_000)})
        if i == 1000:
            print("ready", flush=True)
"""


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_a_writer_that_is_interrupted_can_be_run_again(
    tmp_path: pathlib.Path, kill: signal.Signals
) -> None:
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and process.stdout.readline() == "ready\n"
    began = time.monotonic()
    process.send_signal(kill)
    _, said = process.communicate(timeout=60)
    if kill == signal.SIGINT:
        assert "KeyboardInterrupt" in said
        assert time.monotonic() - began < 30
        assert not out.exists()
    else:
        with pytest.raises(shardine.NotFoundError, match="not a dataset yet"):
            shardine.Dataset(out)
    for folder in (out, tmp_path / "undisturbed"):
        with shardine.Writer(folder, format="tfrecord", shard_size="1M") as writer:
            for i in range(10):
                writer.write({"n": i})
    assert files_of(out) == files_of(tmp_path / "undisturbed")


MANY = """
import resource, sys
import shardine
COUNT = int(sys.argv[2])
with shardine.Writer(sys.argv[1], format="tfrecord", shard_size="4M") as writer:
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    for i in range(COUNT):
        writer.write({"label": i})
        if i == COUNT // 4:
            before = peak()
    grown = peak() - before
assert writer.result.samples == COUNT
print(grown, peak() - before)
"""


def test_memory_does_not_grow_with_samples(tmp_path: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY, str(tmp_path / "out"), "200000"],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    written, closed = map(int, done.stdout.split())
    assert written < 16  # MiB
    assert closed < 48


def test_a_writer_is_closed_once_and_has_a_result(tmp_path: pathlib.Path) -> None:
    writer = shardine.Writer(tmp_path / "out", format="tfrecord")
    assert repr(writer).endswith("out': open>")
    writer.write({"n": 1})
    result = writer.close()
    with pytest.raises(ValueError, match="closed without it"):
        writer.close(reshuffle=7)
    assert writer.close() is result is writer.result
    assert json.loads(json.dumps(result.to_dict()))["samples"] == 1
    assert len(repr(result)) < 100 + len(str(tmp_path))
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.samples = 2  # type: ignore[misc]
    with pytest.raises(shardine.ExistsError, match="already holds a dataset"):
        shardine.Writer(tmp_path / "out", format="tfrecord")
    unclosed = shardine.Writer(tmp_path / "other", format="tfrecord")
    with pytest.warns(ResourceWarning, match="not closed: nothing is published"):
        del unclosed
    assert not (tmp_path / "other").exists()


def test_threads_may_write_together(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(
        tmp_path / "out", format="tfrecord", shard_samples=100
    ) as writer:

        def work(number: int) -> None:
            for i in range(100):
                writer.write({"n": 1000 * number + i})

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    dataset = shardine.Dataset(tmp_path / "out")
    found = [int(each.fields["n"]) for each in dataset]
    assert sorted(found) == sorted(1000 * n + i for n in range(4) for i in range(100))
    assert [each.key for each in dataset] == ["%08d" % i for i in range(400)]
    for number in range(4):  # each thread's own order is kept
        own = [each for each in found if each // 1000 == number]
        assert own == sorted(own)


def misuse(writer: shardine.Writer) -> None:
    for call in (lambda: writer.write({"n": 9}), writer.close):
        with pytest.raises(RuntimeError, match="another process"):
            call()
    writer.abandon()
    writer.__exit__(KeyError, None, None)


def test_a_fork_neither_publishes_nor_removes(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(
        tmp_path / "out", format="tfrecord", shard_samples=3
    ) as writer:
        for i in range(10):
            writer.write({"n": i})
            if i % 3 == 0:
                in_a_fork(lambda: misuse(writer))
    assert [int(s.fields["n"]) for s in shardine.Dataset(tmp_path / "out")] == list(
        range(10)
    )
    verify(tmp_path / "out")


SCARCE = """
import resource, sys, shardine
photo = open(sys.argv[2], "rb").read()
writer = shardine.Writer(sys.argv[1], format=sys.argv[3])
for number in range(40):
    writer.write({"image": photo, "label": 0}, key=str(number))
pages = int(open("/proc/self/statm").read().split()[0])
least = pages * resource.getpagesize() + (int(sys.argv[4]) << 18)
resource.setrlimit(resource.RLIMIT_AS, (least, resource.RLIM_INFINITY))
try:
    writer.close()
    end = "closed"
except (MemoryError, shardine.ShardineError):
    end = "failed"
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
try:
    writer.write({"image": photo, "label": 0}, key="late")
except (ValueError, shardine.ShardineError, MemoryError):
    print(end)
"""


def test_a_close_without_memory_is_an_error(tmp_path: pathlib.Path) -> None:
    """Concurrency review 19: an exception leaves a writer that refuses samples."""
    photo = next(PHOTOS.rglob("*.JPEG"))
    for step in range(0, 40, 3):
        done = subprocess.run(
            [sys.executable, "-c", SCARCE, tmp_path / str(step), photo, "recordio",
             str(step)], text=True, capture_output=True, timeout=60)
        # 127: the C library found no memory for a thread's variables.
        assert done.returncode in (0, 127), done.stderr
        assert done.returncode == 127 or done.stdout in ("closed\n", "failed\n")
