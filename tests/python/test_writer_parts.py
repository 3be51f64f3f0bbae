"""Several Writers make one dataset: each a part of it, and join() the whole."""

import multiprocessing
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any

import numpy
import pytest
from command_line import files_of
from conftest import PHOTOS, SHARDINE, in_a_fork

import shardine
import shardine.parts

FORMATS = ("recordio", "tfrecord", "lmdb", "hdf5", "webdataset")
OF_IMAGES = ("recordio", "lmdb")  # which hold nothing else
OF_ONE_LABEL = ("lmdb", "hdf5")
PARTS = 8
CLASSES = ["cat", "dog"]
IMAGES = sorted(PHOTOS.rglob("*.jpg"))[:4]


def write_sample(writer: shardine.Writer, number: int, array: bool) -> None:
    """Sample `number` of all; every third has a key of its own."""
    sample: dict[str, Any] = {
        "image": IMAGES[number % len(IMAGES)],
        "label": CLASSES[number % 2] if number % 5 else [0, 1],
    }
    if array:
        sample["points"] = numpy.arange(number % 7, dtype="<f4")
    writer.write(
        sample,
        key=f"own/{number}" if number % 3 == 0 else None,
        split="val" if number % 4 == 1 else "train",
    )


def options_of(format: str) -> dict[str, Any]:
    return {
        "format": format,
        "classes": CLASSES,
        "shard_samples": 11,
        "lossy_labels": format in OF_ONE_LABEL,
    }


def write_part(
    out: str, format: str, part: int, parts: int, numbers: range, threads: int = 1
) -> None:
    with shardine.Writer(
        out, part=part, parts=parts, threads=threads, **options_of(format)
    ) as writer:
        for number in numbers:
            write_sample(writer, number, format not in OF_IMAGES)
    assert writer.result and writer.result.samples == len(numbers)


def whole(out: pathlib.Path, format: str, count: int) -> dict[str, bytes]:
    """The files of one Writer that is given all samples."""
    with shardine.Writer(out, **options_of(format)) as writer:
        for number in range(count):
            write_sample(writer, number, format not in OF_IMAGES)
    return files_of(out)


def range_of(part: int, parts: int, count: int) -> range:
    """Part 2 is empty."""
    cut = [count * part // parts, count * (part + 1) // parts]
    if part in (1, 2):
        cut = [count // parts, count * 3 // parts] if part == 1 else [0, 0]
    return range(*cut)


@pytest.mark.parametrize("format", FORMATS)
def test_joined_parts_are_the_bytes_of_one_writer(
    tmp_path: pathlib.Path, format: str
) -> None:
    expected = whole(tmp_path / "whole", format, 50)
    out = tmp_path / "out"
    for part in (3, 0, 7, 1, 2, 6, 5, 4):
        write_part(str(out), format, part, PARTS, range_of(part, PARTS, 50))
    with pytest.raises(shardine.NotFoundError, match="parts of one"):
        shardine.Dataset(out)
    told: list[shardine.Progress] = []
    joined = shardine.join(out, jobs=2, progress=told.append)
    assert files_of(out) == expected
    assert joined.samples == told[-1].samples == told[-1].samples_total == 50
    subprocess.run([SHARDINE, "verify", "--level=deep", out], check=True)


def start(code: str, *arguments: Any) -> "subprocess.Popen[str]":
    home = str(pathlib.Path(__file__).parent)
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.append({home!r})\n{code}"]
        + [str(each) for each in arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


PART = """
import shardine
from test_writer_parts import *
out, part, stops = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
numbers = range_of(part, PARTS, 80)
with shardine.Writer(out, part=part, parts=PARTS, **options_of("tfrecord")) as writer:
    for number in numbers:
        if number - numbers.start == stops:
            print("ready", flush=True)
            time.sleep(600)
        write_sample(writer, number, True)
"""


def test_one_of_eight_processes_is_killed_and_runs_again(
    tmp_path: pathlib.Path,
) -> None:
    expected = whole(tmp_path / "whole", "tfrecord", 80)
    out = tmp_path / "out"
    processes = [start(PART, out, part, 5 if part == 4 else -1) for part in range(8)]
    killed = processes.pop(4)
    assert killed.stdout and killed.stdout.readline() == "ready\n"
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=60)
    for process in processes:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    others = {
        name: content
        for name, content in files_of(out).items()
        if "00004-of-" not in name
    }
    assert len(others) == 7
    with pytest.raises(shardine.ExistsError, match="part 4 of 8 is being written, or"):
        shardine.join(out)
    write_part(str(out), "tfrecord", 4, PARTS, range_of(4, PARTS, 80))
    kept = files_of(out)
    assert {name: kept[name] for name in others} == others
    assert shardine.join(out).samples == 80
    assert files_of(out) == expected


def test_a_join_names_the_parts_that_are_missing(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(shardine.NotFoundError, match="holds no parts"):
        shardine.join(out)
    for part in (0, 2, 3):
        write_part(str(out), "tfrecord", part, 6, range(part, part + 1))
    before = files_of(out)
    with pytest.raises(shardine.NotFoundError) as caught:
        shardine.join(out)
    assert "parts 1, 4 and 5 of 6 are missing" in str(caught.value)
    assert files_of(out) == before
    for part in (1, 4, 5):
        write_part(str(out), "tfrecord", part, 6, range(part, part + 1))
    assert shardine.join(out).samples == 6


def test_parts_that_are_damaged_or_not_what_they_say_are_refused(
    tmp_path: pathlib.Path,
) -> None:
    out = tmp_path / "out"
    for part in range(2):
        write_part(str(out), "tfrecord", part, 2, range(5 * part, 5 * part + 5))
    files = [out / ".parts" / f"0000{part}-of-00002" / "samples" for part in (0, 1)]
    sound = [file.read_bytes() for file in files]

    def refused(error: type[shardine.ShardineError], message: str) -> Any:
        before = files_of(out)
        with pytest.raises(error, match=message) as caught:
            shardine.join(out)
        assert files_of(out) == before
        for file, content in zip(files, sound):
            file.unlink()
            file.write_bytes(content)
        return caught.value

    damaged = bytearray(sound[1])
    damaged[len(damaged) // 2] ^= 1
    files[1].write_bytes(damaged)
    error = refused(shardine.CorruptError, "checksum differs")
    assert error.path == str(files[1]) and error.record == 2 and error.offset
    files[0].write_bytes(sound[0][:-1])
    refused(shardine.CorruptError, "samples|cut off")
    files[0].write_bytes(sound[1])
    refused(shardine.InvalidArgumentError, "folder of part 0 of 2, and is part 1 of 2")
    files[0].unlink()
    files[0].symlink_to("/dev/zero")
    refused(shardine.UnsupportedError, "samples")
    other = out / ".parts" / "00001-of-00003"
    other.symlink_to(tmp_path)
    refused(shardine.InvalidArgumentError, "parts of 2 and of 3|no folder")
    other.unlink()
    assert shardine.join(out).samples == 10


JOIN = """
import shardine
try:
    print(shardine.join(sys.argv[1]).nothing_to_do)
except shardine.ExistsError as error:
    print(error)
"""


def test_joins_at_the_same_time_and_again_make_one_dataset(
    tmp_path: pathlib.Path,
) -> None:
    expected = whole(tmp_path / "whole", "tfrecord", 60)
    out = tmp_path / "out"
    for part in range(3):
        write_part(str(out), "tfrecord", part, 3, range(20 * part, 20 * part + 20))
    joins = [start(JOIN, out) for _ in range(4)]
    said = []
    for each in joins:
        answer, error = each.communicate(timeout=120)
        assert each.returncode == 0, error
        said.append(answer.strip())
    assert said.count("False") == 1
    for answer in said:
        assert answer in ("True", "False") or "another run" in answer
    assert shardine.join(out).nothing_to_do
    assert files_of(out) == expected
    with pytest.raises(shardine.ExistsError, match="already holds a dataset"):
        shardine.Writer(out, part=0, parts=3, **options_of("tfrecord"))
    assert files_of(out) == expected


def test_spawned_processes_write_parts(tmp_path: pathlib.Path) -> None:
    expected = whole(tmp_path / "whole", "webdataset", 12)
    out = str(tmp_path / "out")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(
            write_part,
            [
                (out, "webdataset", part, 4, range(3 * part, 3 * part + 3), 2)
                for part in range(4)
            ],
        )
    shardine.join(out)
    assert files_of(tmp_path / "out") == expected


def test_threads_write_parts_and_samples_of_parts(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    writers = [
        shardine.Writer(out, part=part, parts=4, **options_of("tfrecord"))
        for part in range(4)
    ]

    def work(part: int, half: int) -> None:
        for i in range(50):
            writers[part].write({"n": 1000 * part + 100 * half + i})

    threads = [
        threading.Thread(target=work, args=(part, half))
        for part in range(4)
        for half in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for writer in writers:
        writer.close()
    shardine.join(out)
    dataset = shardine.Dataset(out)
    found = [int(each.fields["n"]) for each in dataset]
    assert [each.key for each in dataset] == ["%08d" % i for i in range(400)]
    assert [n // 1000 for n in found] == [i // 100 for i in range(400)]
    for part in range(4):
        for half in range(2):  # each thread's own order is kept
            own = [n for n in found if n // 100 == 10 * part + half]
            assert own == sorted(own) and len(own) == 50


def test_a_fork_writes_a_part_of_its_own_alone(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    expected = whole(tmp_path / "whole", "tfrecord", 20)
    writer = shardine.Writer(out, part=0, parts=2, **options_of("tfrecord"))

    def work() -> None:
        for call in (lambda: writer.write({"n": 9}), writer.close):
            with pytest.raises(RuntimeError, match="another process"):
                call()
        writer.abandon()
        with pytest.raises(shardine.ExistsError, match="another run"):
            shardine.Writer(out, part=0, parts=2, **options_of("tfrecord"))
        write_part(str(out), "tfrecord", 1, 2, range(10, 20))

    for number in range(10):
        write_sample(writer, number, True)
        if number == 5:
            in_a_fork(work)
    writer.close()
    shardine.join(out)
    assert files_of(out) == expected


def test_a_with_that_fails_leaves_the_other_parts(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    write_part(str(out), "tfrecord", 1, 2, range(3, 6))
    before = files_of(out)
    with (
        pytest.raises(KeyError),
        shardine.Writer(out, part=0, parts=2, **options_of("tfrecord")) as writer,
    ):
        write_sample(writer, 0, True)
        raise KeyError
    assert repr(writer).endswith("out' part 0 of 2: given up>")
    assert files_of(out) == before
    write_part(str(out), "tfrecord", 0, 2, range(3))
    with pytest.raises(shardine.ExistsError, match="part 1 of 2 is finished") as caught:
        write_part(str(out), "tfrecord", 1, 2, range(3, 6))
    # The way out that it names.
    assert caught.value.path == str(out / ".parts" / "00001-of-00002")
    shutil.rmtree(caught.value.path)
    write_part(str(out), "tfrecord", 1, 2, range(3, 9))
    assert shardine.join(out).samples == 9


def test_arguments_of_parts_are_refused_in_words(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"

    def refused(error: type[Exception], message: str, **options: Any) -> None:
        with pytest.raises(error, match=message):
            shardine.Writer(out, **{**options_of("tfrecord"), **options})

    refused(TypeError, "part, parts: one is given", part=1)
    refused(TypeError, "part, parts: one is given", parts=1)
    refused(ValueError, "part", part=2, parts=2)
    refused(ValueError, "part", part=-1, parts=2)
    refused(ValueError, "parts", part=0, parts=0)
    refused(ValueError, "parts", part=0, parts=100_000)
    refused(TypeError, "part", part="0", parts=2)
    refused(TypeError, "rank; it is part here", rank=0)
    refused(TypeError, "world_size; it is parts here", world_size=2)
    assert not out.exists()
    write_part(str(out), "tfrecord", 0, 2, range(3))
    refused(
        shardine.InvalidArgumentError,
        'classes: .*, not .*"cat",0',
        part=1,
        parts=2,
        classes=["dog", "cat"],
    )
    writer = shardine.Writer(out, part=1, parts=2, **options_of("tfrecord"))
    with pytest.raises(ValueError, match="a part is no dataset"):
        writer.close(reshuffle=1)
    writer.close()
    with pytest.raises(TypeError, match="unknown option threads; it is jobs here"):
        shardine.join(out, threads=2)  # type: ignore[call-arg]
    assert shardine.join(out).samples == 3


INTERRUPTED = """
import os, shardine
def tell(progress):
    if progress.samples:
        os.kill(os.getpid(), int(sys.argv[2]))
shardine.join(sys.argv[1], jobs=int(sys.argv[3]), progress=tell)
"""


@pytest.mark.parametrize(
    "kill, jobs", [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGKILL, 2)]
)
def test_a_join_that_is_interrupted_begins_again(
    tmp_path: pathlib.Path, kill: signal.Signals, jobs: int
) -> None:
    out = tmp_path / "out"
    for part in range(2):
        with shardine.Writer(out, part=part, parts=2) as writer:
            for number in range(3000):
                writer.write({"image": IMAGES[number % len(IMAGES)]})
    shutil.copytree(out, tmp_path / "undisturbed")
    parts = files_of(out)
    process = start(INTERRUPTED, out, int(kill), jobs)
    _, said = process.communicate(timeout=60)
    if kill == signal.SIGINT:
        assert "KeyboardInterrupt" in said
        assert files_of(out) == parts
    else:
        assert process.returncode == -kill
    assert shardine.join(out).samples == 6000
    shardine.join(tmp_path / "undisturbed")
    assert files_of(out) == files_of(tmp_path / "undisturbed")
