"""Shards that vanish, shrink or change underneath: the right samples, or within
ten seconds an error that names the shard; never a hang, never a signal."""

import gc
import os
import pathlib
import resource
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

import shardine
from conftest import PHOTOS, Source, pack

Damage = Callable[[pathlib.Path], None]

SECONDS = 10
CROP = shardine.RandomResizedCrop(8)


def load(dataset: Source, **options: Any) -> shardine.Loader:
    options.setdefault("batch_size", 4)
    options.setdefault("order", "sequential")
    options.setdefault("threads", 2)
    if not options.get("raw"):
        options.setdefault("transform", CROP)
    return shardine.Loader(dataset, **options)


def content(batches: Iterable[shardine.Batch]) -> list[tuple[list[int], bytes]]:
    return [(b.ids.tolist(), b.images.tobytes()) for b in batches]


def shards_of(folder: pathlib.Path, suffix: str = ".rec") -> list[pathlib.Path]:
    return sorted(folder.glob("*" + suffix)) or sorted(
        (folder / ".shardine").glob("*" + suffix)
    )


def failure(action: Callable[[], object]) -> shardine.ShardineError:
    """The error that it raises, soon."""
    begin = time.monotonic()
    with pytest.raises(shardine.ShardineError) as caught:
        action()
    assert time.monotonic() - begin < SECONDS
    return caught.value


def other_bytes(path: pathlib.Path) -> bytes:
    return bytes(byte ^ 0x55 for byte in path.read_bytes())


def removed(path: pathlib.Path) -> None:
    path.unlink()


def a_directory(path: pathlib.Path) -> None:
    path.unlink()
    path.mkdir()


def a_link_to_itself(path: pathlib.Path) -> None:
    path.unlink()
    path.symlink_to(path)


def replaced(path: pathlib.Path) -> None:
    """Another file of the same size under the name."""
    other = path.with_suffix(".other")
    other.write_bytes(other_bytes(path))
    other.rename(path)


def overwritten(path: pathlib.Path) -> None:
    """The same file, other bytes."""
    content = other_bytes(path)
    with open(path, "r+b") as file:
        file.write(content)


def truncated(path: pathlib.Path) -> None:
    os.truncate(path, 10)


def emptied(path: pathlib.Path) -> None:
    os.truncate(path, 0)


# Changes of a name, and of the bytes of a file that may be open.
NAMES = [removed, a_directory, a_link_to_itself, replaced]
BYTES = [overwritten, truncated, emptied]


def each(damages: Sequence[Damage]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("damage", damages, ids=lambda d: d.__name__)


@each(NAMES + BYTES)
@pytest.mark.parametrize("raw", [False, True], ids=["crops", "raw"])
def test_before_the_first_batch(
    own_copy: pathlib.Path, damage: Damage, raw: bool
) -> None:
    loader = load(own_copy, raw=raw, on_bad="gray" if raw else "fail")
    shard = shards_of(own_copy)[1]
    damage(shard)
    if raw and damage in (replaced, overwritten):
        # Each of the samples is bad, but the shard exists.
        bad = sum(batch.bad.sum() for batch in loader)
        assert 0 < bad < 24
        return
    error = failure(lambda: list(loader))
    assert error.path == str(shard)
    assert str(shard) in str(error)
    assert error.record is not None
    assert type(error) is not shardine.ShardineError
    assert failure(lambda: list(loader)).path == str(shard)
    loader.close()


@each(NAMES + BYTES)
@pytest.mark.parametrize("between", ["epochs", "batches"])
def test_while_a_loader_runs(
    own_copy: pathlib.Path, packed: pathlib.Path, damage: Damage, between: str
) -> None:
    """An open file stays the same, whatever becomes of its name."""
    expected = content(load(packed))
    dataset = shardine.Dataset(own_copy)
    last = dataset[23].image
    shard = next(s for s in shards_of(own_copy) if last in s.read_bytes())
    loader = load(dataset, prefetch=1)
    assert content(loader) == expected
    loader.set_epoch(0)
    seen = []

    def take() -> None:
        for batch in loader:
            seen.append(batch)
            if between == "batches" and len(seen) == 1:
                damage(shard)

    if between == "epochs":
        damage(shard)
    if damage in NAMES:
        take()
        assert content(seen) == expected
        return
    error = failure(take)
    assert isinstance(error, shardine.CorruptError)
    assert error.path == str(shard)
    assert error.key in {dataset.key(i) for i in range(24)}
    assert content(seen) == expected[: len(seen)]
    # The loader's files are as before; the other shards can still be read.
    assert loader.state_dict()["position"] == 4 * len(seen)
    assert dataset[0].image in shards_of(own_copy)[0].read_bytes()


@pytest.fixture
def few_files() -> Iterator[None]:
    """16 shards stay open, the fewest."""
    gc.collect()  # cycles of earlier tests have files open
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@each([removed, a_directory, replaced, truncated])
def test_a_shard_that_was_closed_meanwhile(
    tmp_path: pathlib.Path, few_files: None, damage: Damage
) -> None:
    out = pack(PHOTOS, tmp_path / "out", "--shards=24")
    assert len(shards_of(out)) == 24
    dataset = shardine.Dataset(out)
    loader = load(dataset)
    expected = content(loader)
    loader.set_epoch(0)  # forgets samples read in advance
    for position in range(16):
        dataset[position]
    shard = shards_of(out)[20]
    damage(shard)
    error = failure(lambda: list(loader))
    assert (error.path, error.record) == (str(shard), 0)
    if damage is removed:
        assert isinstance(error, shardine.NotFoundError)
    # Put back, it is read again.
    if damage is a_directory:
        shard.rmdir()
    pack(PHOTOS, tmp_path / "again", "--shards=24")
    shutil.copyfile(tmp_path / "again" / shard.name, shard)
    loader.set_epoch(0)
    assert content(loader) == expected


def test_another_pack_under_the_same_name(own_copy: pathlib.Path) -> None:
    loader = load(own_copy)
    small = load(own_copy, transform=shardine.Resize(8))
    assert len(list(small)) == 6  # has its files open
    name = shards_of(own_copy)[0].name
    shutil.rmtree(own_copy)
    pack(PHOTOS, own_copy, "--shard-size=128K", "--seed=8")
    assert shards_of(own_copy)[0].name == name
    error = failure(lambda: list(loader))
    assert isinstance(error, shardine.CorruptError)
    assert error.path and error.path.startswith(str(own_copy))
    assert len(list(small)) == 6


@each([removed, emptied, truncated])
def test_a_sidecar(own_copy: pathlib.Path, damage: Damage) -> None:
    loader = load(own_copy)
    sidecar = shards_of(own_copy, ".rec.sdx")[1]
    damage(sidecar)
    assert failure(lambda: list(loader)).path == str(sidecar)


@each([removed, emptied, truncated, overwritten])
def test_entry_points_only_make_it_faster(
    own_copy: pathlib.Path, packed: pathlib.Path, damage: Damage
) -> None:
    for points in shards_of(own_copy, ".rec.sde"):
        damage(points)
    assert content(load(own_copy)) == content(load(packed))


def test_what_is_cut_off_is_bad_and_what_is_away_is_an_error(
    own_copy: pathlib.Path
) -> None:
    dataset = shardine.Dataset(own_copy)
    shard = shards_of(own_copy)[0]
    loader = load(dataset, on_bad="gray", batch_size=24)
    (whole,) = loader
    loader.set_epoch(0)
    truncated(shard)
    (batch,) = loader
    assert 0 < batch.bad.sum() < 24
    assert (batch.labels == whole.labels).all()
    assert (batch.images[batch.bad] == 128).all()
    assert loader.stats().bad == batch.bad.sum()
    removed(shard)
    error = failure(lambda: list(load(own_copy, on_bad="gray")))
    assert isinstance(error, shardine.NotFoundError)
    assert error.path == str(shard)


@pytest.mark.filterwarnings("ignore::UserWarning")
@each([removed, truncated, overwritten])
@pytest.mark.parametrize(
    "format, suffix",
    [("tfrecord", ".tfrecord"), ("lmdb", ".lmdb"), ("hdf5", ".h5")],
)
def test_shards_without_a_dataset(
    tmp_path: pathlib.Path, damage: Damage, format: str, suffix: str
) -> None:
    out = pack(PHOTOS, tmp_path / "out", "--shards=3", f"--format={format}")
    shards = shards_of(out, suffix)
    dataset = shardine.Dataset(shards)
    # An open file stays readable when its name is gone.
    loader = None if damage is removed else load(dataset)
    damage(shards[1])
    error = failure(lambda: list(loader or load(dataset)))
    assert error.path == str(shards[1])


def test_proved_entry_points_change_no_pixel(packed: pathlib.Path) -> None:
    batches = {}
    for entry_points in ["trusted", "proved", "unused"]:
        loader = load(packed, entry_points=entry_points, seed=3)
        batches[entry_points] = content(loader) + content(loader)
        assert loader.stats().refused_entry_points == 0
    assert batches["proved"] == batches["trusted"] == batches["unused"]


def without_last_scan(jpeg: bytes) -> bytes:
    """Closed by an end marker, as if it were whole."""
    return jpeg[: jpeg.rindex(b"\xff\xc4")] + b"\xff\xd9"


def test_a_progressive_jpeg_without_its_last_scan_is_a_bad_image(
    tmp_path: pathlib.Path
) -> None:
    Image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "tree" / "a"
    folder.mkdir(parents=True)
    photo = Image.open(next(PHOTOS.rglob("*.JPEG"))).convert("RGB")
    photo.save(folder / "whole.jpg", progressive=True)
    whole = (folder / "whole.jpg").read_bytes()
    (folder / "cut.jpg").write_bytes(without_last_scan(whole))
    packed = pack(tmp_path / "tree", tmp_path / "out", "--check=none")
    bad = failure(lambda: list(load(packed, batch_size=2)))
    assert "scans are missing" in str(bad) and "cut.jpg" in str(bad)
    (batch,) = load(packed, batch_size=2, on_bad="gray")
    assert batch.bad.sum() == 1
