"""Other processes: forks, spawned ones, Ctrl-C."""

import multiprocessing
import pathlib
import pickle
import signal
import struct
import subprocess
import sys
import time
from typing import Any

import pytest
from conftest import in_a_fork

import shardine

Content = tuple[int, bytes, int | float, Any]

CROP = shardine.RandomResizedCrop(8)


def content(dataset: shardine.Dataset) -> list[Content]:
    return [(s.id, s.key, s.label, s.image) for s in dataset]


def read_all(dataset: shardine.Dataset, queue: Any) -> None:
    queue.put(content(dataset))


def test_a_dataset_can_be_pickled(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed, variant="sz/160")
    again = pickle.loads(pickle.dumps(dataset))
    assert again.variant == "sz/160"
    assert content(again) == content(dataset)
    assert pickle.loads(pickle.dumps(dataset[3])) == dataset[3]
    assert len(pickle.dumps(dataset)) < 1000


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("streaming", [False, True])
def test_other_processes_read_the_same(
    packed: pathlib.Path, method: str, streaming: bool
) -> None:
    dataset = shardine.Dataset(packed)
    expected = content(dataset)
    if streaming:
        loader = shardine.Loader(dataset, batch_size=2, transform=CROP)
        iterator = iter(loader)
        next(iterator)
    context: Any = multiprocessing.get_context(method)
    queue = context.Queue()
    processes = [
        context.Process(target=read_all, args=(dataset, queue))
        for _ in range(2)
    ]
    for process in processes:
        process.start()
    for _ in processes:
        assert queue.get(timeout=60) == expected
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    if streaming:
        assert len(list(iterator)) == 11


def test_a_loader_stays_in_its_process(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    held = [shardine.Loader(dataset, batch_size=4, transform=CROP)]
    batch = next(iter(held[0]))
    images = batch.images.copy()

    def child() -> None:
        with pytest.raises(RuntimeError, match="process"):
            next(iter(held[0]))
        assert (batch.images == images).all()
        own = shardine.Loader(dataset, batch_size=4, transform=CROP)
        assert (next(iter(own)).images == images).all()
        own.close()
        held.pop().close()

    for _ in range(3):
        in_a_fork(child)
    assert len(list(held[0])) == 6


ENDLESS = """
import sys, time
import shardine
loader = shardine.Loader(sys.argv[1], batch_size=500_000, last_batch="pad",
                         transform=shardine.RandomResizedCrop(8))
print("ready", flush=True)
try:
    next(iter(loader))
except KeyboardInterrupt:
    loader.close()
    del loader
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_the_wait(packed: pathlib.Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(packed)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "interrupted\n"
    assert process.returncode == 0


SCAN = """
import sys
import shardine
print("ready", flush=True)
try:
    {statement}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    "statement",
    [
        "shardine.Dataset(sys.argv[1:] * 100)",
        "shardine.Loader(sys.argv[1:] * 100, batch_size=1, raw=True)",
        "shardine.Dataset(sys.argv[1:] * 100, labels='none.lst')",
    ],
)
def test_ctrl_c_ends_a_scan(tmp_path: pathlib.Path, statement: str) -> None:
    """The scan reads 100 million records, which takes longer than the test may."""
    record = struct.pack("<IIIfQQ", 0xCED7230A, 25, 0, 1.0, 7, 0) + b"x\0\0\0"
    shard = tmp_path / "foreign.rec"
    shard.write_bytes(record * 1_000_000)
    process = subprocess.Popen(
        [sys.executable, "-c", SCAN.format(statement=statement), str(shard)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert out == "interrupted\n"
    assert process.returncode == 0


def test_an_interpreter_that_ends_in_the_middle_ends(packed: pathlib.Path) -> None:
    script = ENDLESS.split("try:")[0] + (
        "loader = shardine.Loader(sys.argv[1], batch_size=2,\n"
        "                         transform=shardine.RandomResizedCrop(8))\n"
        "iterator = iter(loader)\n"
        "batch = next(iterator)\n"
        "images = batch.images\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(packed)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ready\n", "")
