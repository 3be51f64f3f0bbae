"""Transforms: small values that turn into pixels."""

import dataclasses
import pathlib
import pickle
from typing import Any

import numpy
import pytest

import shardine
from conftest import Source
from test_batch import pillow


def first(dataset: Source, transform: Any, batch_size: int = 6) -> shardine.Batch:
    loader = shardine.Loader(
        dataset,
        batch_size=batch_size,
        order="sequential",
        transform=transform,
        layout="nhwc",
    )
    return next(iter(loader))


def test_the_whole_image_resized(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    batch = first(dataset, shardine.Resize((20, 30)))
    for i, (x, y, width, height, flip) in enumerate(batch.boxes):
        assert (x, y, flip) == (0, 0, 0)
        whole = pillow(dataset[i].image, (x, y, width, height), (20, 30), 0)
        assert (batch.images[i] == whole).all()


def test_a_fixed_box(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    batch = first(dataset, shardine.FixedCrop((10, 20, 60, 50), size=32))
    for i in range(6):
        assert batch.boxes[i].tolist() == [10, 20, 60, 50, 0]
        part = pillow(dataset[i].image, (10, 20, 60, 50), (32, 32), 0)
        assert (batch.images[i] == part).all()


def test_the_middle_of_a_smaller_image(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    batch = first(dataset, shardine.CenterCrop(32, resize=64))
    for i in range(6):
        _, _, width, height, _ = first(dataset, shardine.Resize(8)).boxes[i]
        short = min(width, height)
        size = (int(64 * height / short), int(64 * width / short))
        small = pillow(dataset[i].image, (0, 0, width, height), size, 0)
        top = int(round((size[0] - 32) / 2.0))
        left = int(round((size[1] - 32) / 2.0))
        middle = small[top : top + 32, left : left + 32]
        assert (batch.images[i] == middle).all()


def test_rectangular_batches_follow_the_ratio(packed: pathlib.Path) -> None:
    loader = shardine.Loader(
        packed, batch_size=4, transform=shardine.RectVal(64), layout="nhwc"
    )
    ratios = [b.images.shape[2] / b.images.shape[1] for b in loader]
    assert ratios == sorted(ratios)
    assert len(set(ratios)) > 1
    for batch in loader:
        assert batch.images.shape[1] % 8 == batch.images.shape[2] % 8 == 0
        assert min(batch.images.shape[1:3]) == 64


def test_areas_stay_within_the_scale(packed: pathlib.Path) -> None:
    transform = shardine.RandomResizedCrop(8, scale=(0.2, 0.3), flip=0)
    whole = first(packed, shardine.Resize(8)).boxes
    boxes = first(packed, transform).boxes
    share = boxes[:, 2] * boxes[:, 3] / (whole[:, 2] * whole[:, 3])
    assert ((share > 0.17) & (share < 0.33)).all()
    assert not boxes[:, 4].any()
    assert first(packed, dataclasses.replace(transform, flip=1)).boxes[:, 4].all()


def test_they_are_values() -> None:
    crop = shardine.RandomResizedCrop(224)
    assert crop == shardine.RandomResizedCrop(224, scale=(0.08, 1))
    assert crop == pickle.loads(pickle.dumps(crop))
    assert len({crop, shardine.RandomResizedCrop(224)}) == 1
    assert repr(shardine.CenterCrop(224)) == "CenterCrop(size=224, resize=256)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        crop.size = 3  # type: ignore[misc]  # refused


def test_sizes_are_height_and_width_or_any_integer(packed: pathlib.Path) -> None:
    assert first(packed, shardine.Resize((8, 24))).images.shape[1:3] == (8, 24)
    size = numpy.int64(16)
    any_integer = shardine.Resize(size)  # type: ignore[arg-type]  # no int to Python
    assert first(packed, any_integer).images.shape[1:3] == (16, 16)


def test_nonsense_is_refused(packed: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="scale"):
        first(packed, shardine.RandomResizedCrop(8, scale=(1, 0.5)))
    with pytest.raises(TypeError, match="transform"):
        first(packed, lambda image: image)


@pytest.mark.parametrize(("second", "line"), [
    (shardine.CenterCrop(32), "shardine.CenterCrop(32, resize=48)"),
    (shardine.RandomCrop(32), "shardine.ImageRecordCrop(32, resize=48, random_place=True)"),
])
def test_a_short_side_and_a_crop_of_it_are_one_transform(
    packed: pathlib.Path, second: shardine.CenterCrop, line: str
) -> None:
    with pytest.raises(ValueError, match="Resize") as refused:
        shardine.Compose([shardine.Resize(48), second])
    assert str(refused.value).endswith(f" there is {line}")
    loader = shardine.Loader(packed, batch_size=2, transform=eval(line))
    assert next(iter(loader)).images.shape == (2, 3, 32, 32)


def test_no_line_is_named_that_would_leave_a_border_out() -> None:
    for padded in (shardine.RandomCrop(32, padding=4),
                   shardine.RandomCrop(32, pad_if_needed=True)):
        with pytest.raises(ValueError, match="what follows changes pixels$"):
            shardine.Compose([shardine.Resize(48), padded])
