"""Contents of a batch."""

import gc
import io
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from PIL import Image

import shardine
from conftest import PHOTOS, Source, damage, pack


def load(dataset: Source, **options: Any) -> shardine.Loader:
    options.setdefault("batch_size", 4)
    options.setdefault("threads", 2)
    if not options.get("raw"):
        options.setdefault("transform", shardine.RandomResizedCrop((16, 24)))
    return shardine.Loader(dataset, **options)


def pillow(
    image: Any, box: Sequence[int], size: tuple[int, int], flip: int
) -> NDArray[Any]:
    """Pillow's decoding of a part of an image, as N x H x W x C."""
    x, y, width, height = box
    whole = Image.open(io.BytesIO(image)).convert("RGB")
    part = whole.crop((x, y, x + width, y + height))
    part = part.resize((size[1], size[0]), Image.Resampling.BILINEAR)
    pixels = numpy.asarray(part)
    return pixels[:, ::-1] if flip else pixels


def test_pixels_are_pillows_of_the_box_that_was_used(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    flips = set()
    for batch in load(dataset, layout="nhwc"):
        assert len(batch) == 4
        assert batch.images.shape == (4, 16, 24, 3)
        for i, position in enumerate(batch.positions):
            sample = dataset[position]
            assert sample.id == batch.ids[i]
            assert sample.label == batch.labels[i]
            assert sample.key == batch.keys[i]
            *box, flip = batch.boxes[i]
            flips.add(int(flip))
            expected = pillow(sample.image, box, (16, 24), flip)
            assert (batch.images[i] == expected).all()
        assert batch.padding == 0
        assert not batch.bad.any()
    assert flips == {0, 1}


def test_arrays_have_their_types(packed: pathlib.Path) -> None:
    batch = next(iter(load(packed)))
    assert batch.images.dtype == numpy.uint8
    assert batch.labels.dtype == batch.ids.dtype == numpy.int64
    assert batch.labels.shape == batch.ids.shape == batch.bad.shape == (4,)
    assert batch.boxes.dtype == numpy.int32
    assert batch.boxes.shape == (4, 5)
    assert batch.bad.dtype == numpy.bool_
    assert all(type(key) is str for key in batch.keys)
    assert batch.epoch == 0


def test_layouts_are_views_of_the_same_pixels(packed: pathlib.Path) -> None:
    def images(layout: str) -> Any:
        return next(iter(load(packed, layout=layout))).images

    nhwc = images("nhwc")
    channels_last = images("channels_last")
    planar = images("nchw")
    assert nhwc.flags.c_contiguous
    assert channels_last.shape == (4, 3, 16, 24)
    assert channels_last.strides == (16 * 24 * 3, 1, 24 * 3, 3)
    assert (channels_last == nhwc.transpose(0, 3, 1, 2)).all()
    assert planar.flags.c_contiguous
    assert (planar == channels_last).all()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("layout", ["channels_last", "nhwc", "nchw"])
def test_floats_are_normalized(packed: pathlib.Path, dtype: str, layout: str) -> None:
    mean, std = (120, 115.5, 100), (58, 57, 56.5)
    plain = next(iter(load(packed, layout="nhwc"))).images
    batch = next(
        iter(load(packed, layout=layout, dtype=dtype, mean=mean, std=std))
    )
    expected = (plain.astype("f4") - numpy.array(mean, "f4")) / numpy.array(std, "f4")
    images = batch.images
    if layout != "nhwc":
        images = images.transpose(0, 2, 3, 1)
    assert images.dtype == numpy.dtype(dtype)
    assert (images == expected.astype(dtype)).all()


def test_raw_images_are_the_stored_bytes(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    held: list[tuple[int, memoryview]] = []
    for batch in load(dataset, raw=True):
        assert [type(image) for image in batch.images] == [memoryview] * 4
        assert batch.boxes.shape == (0, 5)
        held += zip(batch.positions.tolist(), batch.images)
    del batch
    gc.collect()
    assert len(held) == 24
    for position, image in held:
        assert image.readonly
        assert image == dataset[position].image


def test_held_arrays_outlive_batch_and_loader(packed: pathlib.Path) -> None:
    loader = load(packed)
    held, copies = [], []
    for batch in loader:
        arrays = [
            batch.images,
            batch.labels,
            batch.ids,
            batch.boxes,
            batch.bad,
        ]
        held.append(arrays)
        copies.append([array.copy() for array in arrays])
    del batch, arrays
    for _ in range(3):
        for _batch in loader:
            pass
    loader.close()
    del loader, _batch
    gc.collect()
    for arrays, expected in zip(held, copies):
        for array, copy in zip(arrays, expected):
            assert (array == copy).all()


def test_positions_that_were_overwritten_are_no_places(packed: pathlib.Path) -> None:
    batch = next(iter(load(packed)))
    batch.positions[2] = -1
    with pytest.raises(IndexError):
        batch.keys


def test_a_whole_epoch_fits_into_a_list(packed: pathlib.Path) -> None:
    batches = list(load(packed))
    assert len(batches) == 6
    assert sorted(i for b in batches for i in b.ids) == list(range(24))
    assert len({b.images.ctypes.data for b in batches}) == 6


def test_memory_of_batches_that_are_gone_is_used_again(packed: pathlib.Path) -> None:
    loader = load(packed, prefetch=1)
    addresses = set()
    for _ in range(20):
        for batch in loader:
            addresses.add(batch.images.ctypes.data)
    assert len(addresses) <= 6


def test_dlpack_takes_arrays_without_a_copy(packed: pathlib.Path) -> None:
    batch = next(iter(load(packed)))
    for array in (batch.images, batch.labels, batch.ids, batch.boxes):
        taken = numpy.from_dlpack(array)
        assert taken.ctypes.data == array.ctypes.data
        assert taken.strides == array.strides
        assert taken.flags.writeable
        assert (taken == array).all()
    assert batch.images.ctypes.data % 64 == 0
    image, copy = taken, taken.copy()
    del batch, array, taken
    gc.collect()
    assert (image == copy).all()


def test_labels_are_of_the_type_asked_for(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    lines = [f"{i}\t{i / 4}\t{i % 3}\tx\n" for i in range(24)]
    (tmp_path / "two.lst").write_text("".join(lines))
    two = shardine.Dataset(packed, labels=tmp_path / "two.lst", labels_by="id")
    for dtype in ("float32", "float64"):
        batch = next(iter(load(two, label_dtype=dtype)))
        assert batch.labels.dtype == numpy.dtype(dtype)
        assert batch.labels.shape == (4, 2)
        assert (batch.labels[:, 0] == batch.ids / 4).all()
        assert (batch.labels[:, 1] == batch.ids % 3).all()
    assert next(iter(load(two))).labels.dtype == numpy.float32


def test_labels_are_integers_or_what_was_packed(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    assert next(iter(load(packed))).labels.dtype == numpy.int64
    halves = "".join(f"{i}\t{i + 0.5}\tx\n" for i in range(24))
    (tmp_path / "halves.lst").write_text(halves)
    dataset = shardine.Dataset(packed, labels=tmp_path / "halves.lst", labels_by="id")
    for batch in load(dataset):
        assert batch.labels.dtype == numpy.float32
        assert (batch.labels == batch.ids + 0.5).all()
    with pytest.raises(shardine.UnsupportedError, match="label_dtype"):
        list(load(dataset, label_dtype="int64"))


def test_ids_beyond_int64_are_refused(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    ids = [2**63 - 2, 2**63 - 1, 2**63]
    files = sorted(PHOTOS.glob("*/*"))[:3]
    lst = tmp_path / "large.lst"
    lst.write_text(
        "".join(
            f"{id}\t0\t{path.relative_to(PHOTOS)}\n"
            for id, path in zip(ids, files)
        )
    )
    out = pack(PHOTOS, tmp_path / "out", "--list", str(lst))
    dataset = shardine.Dataset(out)
    assert sorted(sample.id for sample in dataset) == ids
    with pytest.raises(shardine.UnsupportedError, match=str(2**63)):
        list(load(dataset, batch_size=3))


def test_bad_samples_are_gray_dropped_or_fail(own_copy: pathlib.Path) -> None:
    options = dict(order="sequential", layout="nhwc")
    whole = list(load(own_copy, **options))
    damage(own_copy, shardine.Dataset(own_copy)[5].image)

    gray = list(load(own_copy, on_bad="gray", **options))
    assert [b.bad.tolist() for b in gray][1] == [False, True, False, False]
    assert (gray[1].images[1] == 128).all()
    assert (gray[1].labels == whole[1].labels).all()
    assert (gray[1].images[2] == whole[1].images[2]).all()

    loader = load(own_copy, on_bad="drop", **options)
    assert [len(batch) for batch in loader] == [4, 3, 4, 4, 4, 4]
    assert loader.stats().bad == 1

    loader = load(own_copy, **options)
    with pytest.raises(shardine.CorruptError) as caught:
        list(loader)
    assert caught.value.key == loader.dataset.key(5)
    with pytest.raises(shardine.CorruptError):
        list(loader)
