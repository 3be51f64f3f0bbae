"""Forks while other threads are at work: no child hangs, and none keeps a lock."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest
from conftest import PHOTOS

LOOKING = """
import os, signal, sys, threading, time, shardine
dataset = shardine.Dataset(sys.argv[1])
stopped = False
def look():
    position = 0
    while not stopped:
        dataset.key(position % len(dataset))
        dataset[position % len(dataset)]
        position += 1
threads = [threading.Thread(target=look) for _ in range(3)]
for thread in threads:
    thread.start()
hung = 0
end = time.monotonic() + float(sys.argv[3])
forks = 0
for _ in range(int(sys.argv[2])):
    if time.monotonic() > end:
        break
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(10)
        dataset.key(0)
        os._exit(0)
    hung += os.waitpid(child, 0)[1] != 0
    forks += 1
stopped = True
for thread in threads:
    thread.join()
print("hung", hung)
print(forks, "forks", file=sys.stderr)
"""
# tools/nightly.sh forks sets another number.
FORKS = int(os.environ.get("SHARDINE_FORKS", "400"))


def test_a_child_that_is_forked_while_threads_read_reads_too(
    packed: pathlib.Path,
) -> None:
    """Concurrency review 6."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKING, packed, str(FORKS), str(FORKS // 20)],
        text=True, capture_output=True, timeout=100 + FORKS // 10,
    )
    assert (done.returncode, done.stdout) == (0, "hung 0\n"), done.stderr
    print(done.stderr)


HOLDING = """
import os, sys, time, shardine
writer = shardine.Writer(sys.argv[1])
writer.write({"image": open(sys.argv[2], "rb").read(), "label": 0})
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
time.sleep(60)
"""


def test_a_child_does_not_hold_the_lock_of_its_parent_s_writer(
    tmp_path: pathlib.Path,
) -> None:
    """Concurrency review 12."""
    photo = next(PHOTOS.rglob("*.JPEG"))
    out = tmp_path / "out"
    parent = subprocess.Popen(
        [sys.executable, "-c", HOLDING, out, photo], text=True, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        second: list[str | pathlib.Path] = [
            sys.executable, "-c", HOLDING.split("child =")[0] + "writer.close()", out,
            photo]
        refused = subprocess.run(second, text=True, capture_output=True, timeout=60)
        assert f"process {parent.pid} has the lock" in refused.stderr
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        os.kill(child, 0)
        done = subprocess.run(second, text=True, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
    finally:
        parent.kill()
        parent.wait()
        os.kill(child, signal.SIGKILL)


WRITING = """
import os, signal, sys, threading, shardine
photo = open(sys.argv[2], "rb").read()
def write(name):
    with shardine.Writer(f"{sys.argv[1]}/{name}", format="hdf5") as writer:
        for key in range(20):
            writer.write({"image": photo, "label": 0}, key=str(key))
stopped = False
def go_on():
    number = 0
    while not stopped:
        write(number)
        number += 1
thread = threading.Thread(target=go_on)
thread.start()
ends = set()
for number in range(int(sys.argv[3])):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        try:
            write(f"child-{number}")
        except shardine.UnsupportedError as error:
            os._exit(3 if "this process was forked while" in str(error) else 4)
        os._exit(0)
    ends.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stopped = True
thread.join()
write("after")
print(sorted(ends))
"""


def test_a_child_forked_while_a_thread_writes_hdf5_writes_or_says_why_not(
    tmp_path: pathlib.Path,
) -> None:
    """Concurrency review 6, of the lock of libhdf5."""
    photo = next(PHOTOS.rglob("*.JPEG"))
    done = subprocess.run([sys.executable, "-c", WRITING, tmp_path, photo, "40"],
                          text=True, capture_output=True, timeout=300)
    assert done.stdout in ("[0]\n", "[0, 3]\n", "[3]\n"), done.stderr


@pytest.mark.parametrize("threads", [2**31, 2**40])
def test_threads_beyond_sense_are_refused_by_name(
    packed: pathlib.Path, threads: int
) -> None:
    import shardine

    with pytest.raises((shardine.InvalidArgumentError, ValueError, OverflowError)) as caught:
        shardine.Loader(shardine.Dataset(packed), batch_size=8, threads=threads, raw=True)
    assert "threads" in str(caught.value)
