"""Bare RecordIO files that are opened by MXNet's .idx or a sidecar beside them,
without a scan, and indexes that do not fit."""

import os
import pathlib
import shutil
import warnings
from typing import Any

import numpy
import pytest

import shardine

IMAGES = 40


def read_bytes() -> int:
    with open("/proc/self/io") as io:
        return int(io.readline().split()[1])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A dataset of one .rec of more than 8 MiB."""
    out = tmp_path_factory.mktemp("made") / "out"
    with shardine.Writer(out, format="recordio") as writer:
        for number in range(IMAGES):
            noise = numpy.random.default_rng(number).integers(0, 256, (300, 300, 3))
            writer.write(
                {"image": noise.astype("uint8"), "label": number},
                key=f"{number}.png",
            )
    return out


@pytest.fixture
def rec(
    made: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> pathlib.Path:
    """The shard with its .idx, and without its dataset."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (shard,) = made.glob("*.rec")
    shutil.copy(shard, tmp_path / "bare.rec")
    shutil.copy(shard.with_suffix(".idx"), tmp_path / "bare.idx")
    return tmp_path / "bare.rec"


def opened(path: Any, **options: Any) -> "tuple[shardine.Dataset, list[str], int]":
    """The dataset, its warnings, and the bytes that its opening read."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        before = read_bytes()
        dataset = shardine.Dataset(path, **options)
        read = read_bytes() - before
    return dataset, [str(each.message) for each in said], read


def content(dataset: shardine.Dataset) -> "list[Any]":
    return [(each.id, each.key, each.label, bytes(each.image)) for each in dataset]


def scanned(rec: pathlib.Path) -> shardine.Dataset:
    rec.with_suffix(".idx").rename(rec.with_suffix(".away"))
    try:
        return opened(rec)[0]
    finally:
        rec.with_suffix(".away").rename(rec.with_suffix(".idx"))


def test_an_index_opens_a_shard_without_a_scan(rec: pathlib.Path) -> None:
    dataset, said, read = opened(rec)
    assert said == [] and read < rec.stat().st_size / 20
    before = read_bytes()
    assert dataset.targets == list(range(IMAGES))
    assert read_bytes() - before < IMAGES * 8192
    by_scan = scanned(rec)
    assert content(dataset) == content(by_scan)
    assert dataset.order_digest == by_scan.order_digest
    assert dataset.splits == ["train"]
    assert not list(rec.parent.glob("cache/**/*.scan")) or by_scan


@pytest.mark.parametrize("order", ["shuffle", "blocks", "sequential", "ratio"])
def test_a_loader_gives_the_batches_of_a_scan(rec: pathlib.Path, order: Any) -> None:
    seen = []
    for dataset in (opened(rec)[0], scanned(rec)):
        with shardine.Loader(
            dataset,
            batch_size=8,
            order=order,
            transform=shardine.CenterCrop(32)
            if order == "ratio"
            else shardine.RandomResizedCrop(32),
        ) as loader:
            seen.append([(b.images.copy(), b.labels.copy(), b.ids.copy()) for b in loader])
    for one, other in zip(*seen):
        assert all((a == b).all() for a, b in zip(one, other))
    assert len(seen[0]) == len(seen[1]) == IMAGES // 8


def test_a_mix_takes_indexed_shards(rec: pathlib.Path) -> None:
    mix = shardine.Mix([(opened(rec)[0], 1.0), (opened(rec)[0], 2.0)])
    with shardine.Loader(mix, batch_size=8, raw=True, seed=1) as loader:
        batch = next(iter(loader))
    assert len(batch.labels) == 8


def test_image_record_iter_takes_the_index(rec: pathlib.Path) -> None:
    before = read_bytes()
    batches = shardine.ImageRecordIter(
        rec, (3, 32, 32), 4, path_imgidx=rec.with_suffix(".idx"), shuffle=True
    )
    assert read_bytes() - before < rec.stat().st_size / 10
    assert sorted(int(y) for b in batches for y in b.label[0]) == list(range(IMAGES))


@pytest.mark.parametrize(
    "harm", ["hole", "tail", "shift", "words", "empty", "nul", "huge", "twice", "long"]
)
def test_an_index_that_does_not_fit_is_not_used(rec: pathlib.Path, harm: str) -> None:
    idx = rec.with_suffix(".idx")
    lines = idx.read_bytes().splitlines(keepends=True)
    idx.write_bytes(
        {
            "hole": b"".join(lines[:1] + lines[2:]),
            "tail": b"".join(lines[:-1]),
            "shift": b"".join(
                b"%d\t%d\n" % (int(i), int(o) + 4)
                for i, o in (line.split() for line in lines)
            ),
            "words": b"one\ttwo\n",
            "empty": b"",
            "nul": b"0\t0\n1\t\0\n",
            "huge": b"0\t0\n1\t18446744073709551615\n",
            "twice": b"".join(lines + lines),
            "long": b"9" * 100,
        }[harm]
    )
    dataset, said, read = opened(rec)
    assert read > rec.stat().st_size and dataset.targets == list(range(IMAGES))
    assert any("index beside it is not used" in text for text in said)
    assert any("scanned" in text for text in said)
    # The scan is kept, and the warning of the index stays.
    again = opened(rec)
    assert any("index beside it is not used" in text for text in again[1])
    assert content(again[0]) == content(dataset)


def test_a_record_that_the_index_misses_is_an_error(rec: pathlib.Path) -> None:
    """Of places that the opening does not look at."""
    idx = rec.with_suffix(".idx")
    lines = idx.read_bytes().splitlines(keepends=True)
    idx.write_bytes(b"".join(lines[:4] + lines[5:]))
    dataset, said, _ = opened(rec)
    if said:  # it was looked at
        assert len(dataset) == IMAGES
        return
    with pytest.raises(shardine.CorruptError, match="ends before the next"):
        content(dataset)
    with pytest.raises(shardine.CorruptError):
        list(shardine.Loader(dataset, batch_size=1, raw=True, on_bad="drop"))


def test_other_ids_are_said(rec: pathlib.Path) -> None:
    idx = rec.with_suffix(".idx")
    offsets = [line.split()[1] for line in idx.read_bytes().splitlines()]
    idx.write_bytes(
        b"".join(b"%d\t%s\n" % (i + 7, offset) for i, offset in enumerate(offsets))
    )
    dataset, said, _ = opened(rec)
    assert any("number records otherwise" in text for text in said)
    assert [each.id for each in dataset] == list(range(IMAGES))


def test_a_shard_that_changes_is_refused(rec: pathlib.Path) -> None:
    dataset, _, _ = opened(rec)
    os.truncate(rec, rec.stat().st_size - 1000)
    with pytest.raises(shardine.ShardineError, match="bare.rec"):
        content(dataset)


@pytest.mark.parametrize("place", [".shardine", "."])
def test_a_sidecar_beside_is_used(
    made: pathlib.Path, rec: pathlib.Path, place: str
) -> None:
    (sidecar,) = made.glob(".shardine/*.sdx")
    (rec.parent / place).mkdir(exist_ok=True)
    copy = rec.parent / place / "bare.rec.sdx"
    shutil.copy(sidecar, copy)
    dataset, said, read = opened(rec)
    assert said == [] and read < rec.stat().st_size
    assert [each.key for each in dataset] == [f"{n}.png" for n in range(IMAGES)]
    sound = copy.read_bytes()
    for harm in (sound[:-1], sound[:5000], b"", b"\0" * 8192, os.urandom(8192)):
        copy.write_bytes(harm)
        dataset, said, _ = opened(rec)
        assert any("sidecar beside it is not used" in text for text in said)
        assert dataset.targets == list(range(IMAGES))
