"""Loaders in buckets against a reference that fills them by hand."""

import collections
import functools
import io
import json
import pathlib
import random
from fractions import Fraction
from typing import Any

import numpy
import pytest
from PIL import Image

import shardine

Shape = tuple[int, int]
SHAPES = [(32, 32), (24, 40), (40, 24), (16, 64), (30, 36), (64, 48), (50, 10)]


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """90 photos of all shapes, a few turned by their EXIF orientation."""
    folder = tmp_path_factory.mktemp("photos")
    draws, noise = random.Random(5), numpy.random.default_rng(5)
    for number in range(90):
        place = folder / "tree" / f"class{number % 3}"
        place.mkdir(parents=True, exist_ok=True)
        size = draws.randint(8, 60), draws.randint(8, 60)
        exif = Image.Exif()
        if number % 7 == 0:
            exif[0x112] = 6
        pixels = noise.integers(0, 256, (size[1], size[0], 3), "u1")
        Image.fromarray(pixels).save(place / f"{number:03}.jpg", exif=exif.tobytes())
    shardine.pack(folder / "tree", folder / "out", format="webdataset", shards=3)
    return folder / "out"


def nearest(width: int, height: int, buckets: list[Shape]) -> int:
    """By the exact order of |log(image / bucket)|."""
    ratios = [Fraction(width * b[0], height * b[1]) for b in buckets]
    distances = [max(ratio, 1 / ratio) for ratio in ratios]
    return distances.index(min(distances))


def sizes_of(folder: pathlib.Path, upright: bool) -> dict[int, Shape]:
    sizes = {}
    for sample in shardine.ls(folder):
        with Image.open(io.BytesIO(stored_in(folder)[sample.id])) as image:
            width, height = image.size
            if upright and image.getexif().get(0x112) in (5, 6, 7, 8):
                width, height = height, width
        sizes[sample.id] = width, height
    return sizes


@functools.cache
def stored_in(folder: pathlib.Path) -> dict[int, bytes]:
    return {int(batch.ids[0]): batch.images[0]
            for batch in shardine.Loader(folder, batch_size=1, raw=True)}  # fmt: skip


def epoch_of(folder: pathlib.Path, epoch: int, **options: Any) -> list[int]:
    """The order of a loader without buckets."""
    loader = shardine.Loader(folder, batch_size=1, raw=True, **options)
    loader.set_epoch(epoch)
    return [int(batch.ids[0]) for batch in loader]


def reference(
    order: list[int], following: list[int], bucket_of: dict[int, int], counts: list[int],
    step: int, last_batch: str,
) -> list[tuple[int, list[int]]]:
    """Steps of all ranks as (bucket, ids); counts become the next epoch's."""
    pending: dict[int, list[int]] = collections.defaultdict(list)
    met: collections.Counter[int] = collections.Counter()
    steps = []
    for sample in order:
        bucket = bucket_of[sample]
        met[bucket] += 1
        if met[bucket] <= counts[bucket]:
            continue
        pending[bucket].append(sample)
        if len(pending[bucket]) == step:
            steps.append((bucket, pending.pop(bucket)))
    for bucket in range(len(counts)):
        counts[bucket] -= min(counts[bucket], met[bucket])
        rest = pending[bucket]
        if not rest or last_batch == "drop":
            continue
        if last_batch != "short":
            source = following if last_batch == "roll" else order
            more = [sample for sample in source if bucket_of[sample] == bucket]
            lacking = step - len(rest)
            rest += [more[i % len(more)] for i in range(lacking)]
            if last_batch == "roll":
                counts[bucket] = lacking
        steps.append((bucket, rest))
    return steps


def loaders(
    folder: pathlib.Path, world: int, batch_size: int, **options: Any
) -> list[shardine.Loader]:
    return [shardine.Loader(folder, batch_size=batch_size, world=world, rank=rank,
                            transform=shardine.Resize(options["buckets"][0]), **options)
            for rank in range(world)]  # fmt: skip


@pytest.mark.parametrize("number", range(100))
def test_batches_are_those_of_the_reference(photos: pathlib.Path, number: int) -> None:
    draws = random.Random(number)
    buckets = draws.sample(SHAPES, draws.randint(1, 5))
    upright = draws.random() < 0.5
    bucket_of = {sample: nearest(*size, buckets)
                 for sample, size in sizes_of(photos, upright).items()}  # fmt: skip
    samples = collections.Counter(bucket_of.values())
    last_batch = ["drop", "short", "pad", "roll"][number % 4]
    most = 20 if last_batch in ("short", "pad") else min(samples.values())

    def spread() -> tuple[int, int]:
        world = draws.randint(1, min(3, most))
        return world, draws.randint(1, most // world)

    ordering: dict[str, Any] = draws.choice(
        [{"order": "shuffle"}, {"order": "sequential"},
         {"order": "blocks", "block": 7, "window": 2}])  # fmt: skip
    ordering["seed"] = number
    options = {**ordering, "buckets": buckets, "last_batch": last_batch,
               "apply_exif": upright}  # fmt: skip
    world, batch_size = spread()
    ranks = loaders(photos, world, batch_size, **options)
    assert [tuple(each) for each in ranks[0].buckets] == [
        (*shape, samples[i]) for i, shape in enumerate(buckets)
    ]
    counts = [0] * len(buckets)
    for epoch in range(3):
        order, following = (
            epoch_of(photos, each, **ordering) for each in (epoch, epoch + 1)
        )
        # Some steps, then others go on from the state.
        begun = list(counts)
        steps = reference(order, following, bucket_of, counts, world * batch_size,
                          last_batch)  # fmt: skip
        assert [rank.steps_left for rank in ranks] == [len(steps)] * world
        if last_batch != "roll":  # there others may have begun the epoch
            assert [len(rank) for rank in ranks] == [len(steps)] * world
        cut = draws.randint(0, len(steps))
        taken = [iter(rank) for rank in ranks]
        for bucket, ids in steps[:cut]:
            check(taken, bucket, ids, buckets)
        if cut == len(steps):
            continue
        state = json.loads(json.dumps(ranks[0].state_dict()))
        assert [rank.state_dict() for rank in ranks] == [state] * world
        assert len(json.dumps(state)) < 1024
        done = collections.Counter(bucket for bucket, _ in steps[:cut])
        handed_out = [begun[b] + world * batch_size * done[b] for b in range(len(begun))]
        if cut < len(steps) and all(
            len(ids) == world * batch_size and (last_batch != "pad") for _, ids in steps[:cut]
        ):
            assert state.get("bucket_samples", [0] * len(begun)) == handed_out
        counts = list(state.get("bucket_samples", [0] * len(begun)))
        if draws.random() < 0.5:
            world, batch_size = spread()
        ranks = loaders(photos, world, batch_size, **options)
        for rank in ranks:
            rank.load_state_dict(state)
        rest = reference(order, following, bucket_of, counts, world * batch_size,
                         last_batch)  # fmt: skip
        if not rest:  # with drop: less than a step of these ranks
            assert ranks[0].epoch == epoch + 1
            continue
        assert ranks[0].steps_left == len(rest)
        taken = [iter(rank) for rank in ranks]
        for bucket, ids in rest:
            check(taken, bucket, ids, buckets)


def check(taken: list[Any], bucket: int, ids: list[int], buckets: list[Shape]) -> None:
    """One step of all ranks."""
    met: list[int] = []
    for rank in taken:
        batch = next(rank)
        assert batch.images.shape[2:] == buckets[bucket]
        met += batch.ids.tolist()
    assert met == ids


def test_crops_cover_the_bucket(photos: pathlib.Path) -> None:
    """CenterCrop as Pillow does it by hand."""
    buckets = [(32, 32), (24, 40), (40, 24)]
    loader = shardine.Loader(photos, batch_size=4, last_batch="short", layout="nhwc",
                             buckets=buckets, seed=1,
                             transform=shardine.CenterCrop(32, resize=32))  # fmt: skip
    for batch in loader:
        height, width = batch.images.shape[1:3]
        for sample, pixels in zip(batch.ids, batch.images):
            image = Image.open(io.BytesIO(stored_in(photos)[int(sample)]))
            scale_by_width = image.width * height <= image.height * width
            size = ((width, width * image.height // image.width) if scale_by_width
                    else (height * image.width // image.height, height))  # fmt: skip
            left = round((size[0] - width) / 2)
            top = round((size[1] - height) / 2)
            cover = image.resize(size, Image.Resampling.BILINEAR)
            cut = cover.crop((left, top, left + width, top + height))
            assert numpy.array_equal(numpy.asarray(cut), pixels)


def test_masks_follow_into_buckets(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(tmp_path / "out", format="tfrecord") as writer:
        for number in range(20):
            height, width = 20 + number % 3 * 20, 60 - number % 3 * 20
            writer.write({"image": numpy.full((height, width, 3), number, "u1"),
                          "mask": numpy.full((height, width), number, "u1")})  # fmt: skip
    loader = shardine.Loader(tmp_path / "out", batch_size=3, last_batch="short",
                             buckets=[(32, 32), (16, 48), (48, 16)],
                             transform=shardine.RandomResizedCrop(32),
                             follow={"mask": "nearest"})  # fmt: skip
    seen = 0
    for batch in loader:
        mask = batch.fields["mask"]
        assert mask.shape == (len(batch), *batch.images.shape[2:])
        for number, one in zip(batch.ids, mask):
            assert (one == number).all()
        seen += len(batch)
    assert seen == 20


def test_unknown_sizes_are_named_or_tolerated(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(tmp_path / "out", format="webdataset", on_bad="keep") as writer:
        for number in range(6):
            photo = tmp_path / f"{number}.jpg"
            Image.new("RGB", (20 + number, 20)).save(photo)
            writer.write({"image": photo.read_bytes()}, key=f"{number}.jpg")
        writer.write({"image": b"<html>no image</html>"}, key="page.jpg")
        writer.write({"image": b"GIF89a"}, key="cut.gif")
    options: dict[str, Any] = {"batch_size": 2, "last_batch": "short",
                               "transform": shardine.Resize(16),
                               "buckets": [(16, 16), (8, 24)]}  # fmt: skip
    with pytest.raises(shardine.InvalidArgumentError, match="no image size of 2 of 8") as raised:
        shardine.Loader(tmp_path / "out", **options)
    assert "page.jpg" in str(raised.value) and 'on_bad "drop"' in str(raised.value)
    loader = shardine.Loader(tmp_path / "out", on_bad="drop", **options)
    with pytest.warns(RuntimeWarning):
        assert sum(len(batch) for batch in loader) == 6
    assert loader.stats().bad == 2


def test_buckets_need_shapes(photos: pathlib.Path) -> None:
    def load(buckets: Any, **options: Any) -> shardine.Loader:
        given: dict[str, Any] = {"transform": shardine.Resize(16), **options}
        return shardine.Loader(photos, batch_size=2, buckets=buckets, **given)

    for wrong in (5, "16", {16: 16}, [16], [(16,)], [(16, 16, 3)], [(16, "16")],
                  [(16, -1)], [(16, 1 << 40)]):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            load(wrong)
    with pytest.raises(ValueError, match="buckets: there are none"):
        load([])
    with pytest.raises(shardine.InvalidArgumentError, match="must be 1 to 65535"):
        load([(16, 0)])
    with pytest.raises(shardine.InvalidArgumentError, match="need a transform"):
        load([(16, 16)], transform=None, raw=True)
    with pytest.raises(shardine.InvalidArgumentError, match="is of none of them"):
        load([(16, 24)])
    with pytest.raises(shardine.InvalidArgumentError, match="whose size becomes"):
        load([(16, 16)], transform=shardine.RandomCrop(16))
    assert load(None).buckets == []


def test_states_name_what_differs(photos: pathlib.Path) -> None:
    options: dict[str, Any] = {"batch_size": 4, "transform": shardine.Resize(32)}
    loader = shardine.Loader(photos, buckets=[(32, 32), (24, 40)], **options)
    next(iter(loader))
    state = loader.state_dict()
    assert sum(state["bucket_samples"]) == state["position"] == 4
    others = [shardine.Loader(photos, **options),
              shardine.Loader(photos, buckets=[(32, 32), (24, 44)], **options)]  # fmt: skip
    for other in others:
        with pytest.raises(shardine.InvalidArgumentError, match="amid an epoch of order"):
            other.load_state_dict(state)
    forged: Any
    for forged in ("x", b"x", {}, [1], [4, 0, 0], [-4, 8], [2**63, 4], ["4", 0], [3, 0],
                   [0] * 10**6, [2**400, 0], 7, [4.0, 0.0]):  # fmt: skip
        with pytest.raises((TypeError, ValueError)) as raised:
            loader.load_state_dict({**state, "bucket_samples": forged})
        assert len(str(raised.value)) < 600
    assert loader.state_dict() == state


def test_fetching_in_advance_changes_no_batch(photos: pathlib.Path) -> None:
    options: dict[str, Any] = {
        "batch_size": 3, "order": "blocks", "block": 5, "window": 3, "seed": 2,
        "buckets": [(32, 32), (24, 40), (40, 24)], "transform": shardine.Resize(32),
        "last_batch": "short",
    }  # fmt: skip
    ids = [[batch.ids.tolist() for batch in shardine.Loader(
        photos, fetch_bytes=size, threads=threads, **options)]
        for size, threads in ((0, 1), (1 << 20, 3))]  # fmt: skip
    assert ids[0] == ids[1]
    assert sorted(sum(ids[0], [])) == sorted(epoch_of(photos, 0))
