"""Images that are arrays of pixels, through the transforms of encoded ones."""

import functools
import io
import pathlib
import subprocess
from typing import Any

import document_samples as documents
import numpy
import pytest
from conftest import SHARDINE
from numpy.typing import NDArray
from PIL import Image

import shardine

SHAPES = [(23, 31), (31, 23, 1), (40, 40, 3), (19, 50, 4), (64, 9, 3)]
Box = tuple[int, int, int, int, int]


def pixels_of(number: int) -> NDArray[numpy.uint8]:
    shape = SHAPES[number % len(SHAPES)]
    return numpy.random.default_rng(number).integers(0, 256, shape, numpy.uint8)


def picture_of(number: int) -> Image.Image:
    pixels = pixels_of(number)
    return Image.fromarray(pixels[:, :, 0] if pixels.shape[2:] == (1,) else pixels).convert("RGB")


def cut(number: int, box: Box, size: tuple[int, int]) -> NDArray[numpy.uint8]:
    """Pillow's pixels of the same box, at width x height."""
    x, y, width, height, flipped = box
    picture = picture_of(number).crop((x, y, x + width, y + height))
    picture = picture.resize(size, Image.Resampling.BILINEAR)
    if flipped:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return numpy.asarray(picture)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> shardine.Dataset:
    """Each sample's image twice: as an array, and as a PNG of another name."""
    def members(number: int) -> dict[str, bytes]:
        encoded = io.BytesIO()
        Image.fromarray(numpy.asarray(picture_of(number))[::-1]).save(encoded, "PNG")
        return {"image.npy": documents.npy(pixels_of(number)),
                "upside.down.png": encoded.getvalue()}
    return documents.write_tar(
        tmp_path_factory.mktemp("arrays") / "images.tar",
        [members(number) for number in range(20)])


@pytest.mark.parametrize("transform, size", [
    (shardine.RandomResizedCrop((12, 20)), (20, 12)),
    (shardine.Resize((17, 11)), (11, 17)),
    (shardine.FixedCrop((2, 3, 7, 14), (9, 9)), (9, 9)),
])
def test_pixels_are_pillow_s_of_the_same_array(
    dataset: shardine.Dataset, transform: Any, size: tuple[int, int]
) -> None:
    loader = shardine.Loader(dataset, batch_size=5, transform=transform, layout="nhwc")
    flips = set()
    for _ in range(3):
        for batch in loader:
            for image, box, number in zip(
                    batch.images, batch.boxes.tolist(), documents.numbers(batch)):
                flips.add(box[4])
                numpy.testing.assert_array_equal(image, cut(number, box, size))
    assert flips == ({0, 1} if isinstance(transform, shardine.RandomResizedCrop) else {0})


def test_the_middle_is_that_of_the_resized_array(dataset: shardine.Dataset) -> None:
    loader = shardine.Loader(
        dataset, batch_size=5, transform=shardine.CenterCrop(14, resize=16), layout="nhwc")
    for batch in loader:
        for image, number in zip(batch.images, documents.numbers(batch)):
            picture = picture_of(number)
            short = min(picture.size)
            size = [int(16 * side / short) for side in picture.size]
            left, top = [int(round((side - 14) / 2)) for side in size]
            resized = picture.resize(size, Image.Resampling.BILINEAR)
            expected = resized.crop((left, top, left + 14, top + 14))
            numpy.testing.assert_array_equal(image, numpy.asarray(expected))


def test_arrays_are_normalized_as_decoded_images_are(dataset: shardine.Dataset) -> None:
    options: dict[str, Any] = {
        "batch_size": 20, "order": "sequential", "layout": "nchw",
        "transform": shardine.Resize(8)}
    (plain,) = shardine.Loader(dataset, **options)
    mean, std = (10, 20, 30), (2, 4, 8)
    (floats,) = shardine.Loader(dataset, dtype="float32", mean=mean, std=std, **options)
    planes = numpy.reshape(mean, (3, 1, 1)), numpy.reshape(std, (3, 1, 1))
    expected = (plain.images.astype("f4") - planes[0]) / planes[1]
    numpy.testing.assert_allclose(floats.images, expected, rtol=1e-6)


def test_another_field_may_be_the_image(dataset: shardine.Dataset) -> None:
    options: dict[str, Any] = {
        "batch_size": 20, "order": "sequential", "transform": shardine.Resize(64),
        "filter": "nearest", "layout": "nhwc"}
    (upright,) = shardine.Loader(dataset, **options)
    (turned,) = shardine.Loader(dataset, image="upside.down.png", **options)
    numpy.testing.assert_array_equal(turned.images[2], cut_nearest(2)[::-1])
    numpy.testing.assert_array_equal(upright.images[2], cut_nearest(2))
    (raw,) = shardine.Loader(
        dataset, batch_size=20, order="sequential", image="upside.down.png", raw=True)
    assert bytes(raw.images[0])[:4] == b"\x89PNG"
    with pytest.raises(shardine.UnsupportedError, match='has no image "other"'):
        list(shardine.Loader(dataset, image="other", **options))


def cut_nearest(number: int) -> NDArray[numpy.uint8]:
    return numpy.asarray(picture_of(number).resize((64, 64), Image.Resampling.NEAREST))


def test_rectangular_batches_know_the_sides_of_arrays(dataset: shardine.Dataset) -> None:
    ratios = []
    for batch in shardine.Loader(
            dataset, batch_size=4, transform=shardine.RectVal(16), layout="nhwc"):
        sides = [picture_of(number).size for number in documents.numbers(batch)]
        own = [round(width / height, 5) for width, height in sides]
        ratios += own
        mean = sum(own) / len(own)
        height, width = batch.images.shape[1:3]
        expected = (16, int(16 * mean) // 8 * 8) if mean >= 1 else (int(16 / mean) // 8 * 8, 16)
        assert (height, width) == expected
    assert ratios == sorted(ratios)
    with pytest.raises(shardine.UnsupportedError, match="order: by ratio"):
        shardine.Loader(dataset, batch_size=4, transform=shardine.RectVal(16),
                        image="upside.down.png")


@pytest.mark.parametrize("array, message", [
    (numpy.zeros((8, 8, 2), "u1"), r"\|u1 x 8 x 8 x 2;"),
    (numpy.zeros((3, 8, 9), "u1"), r"\|u1 x 3 x 8 x 9, which another image_layout takes;"),
    (numpy.zeros((8, 8, 3), "<f4"), "<f4 x 8 x 8 x 3;"),
    (numpy.zeros((0, 8, 3), "u1"), "x 0 x 8 x 3;"),
    (numpy.zeros(8, "u1"), r"\|u1 x 8;"),
])
def test_other_arrays_are_no_images(
    tmp_path: pathlib.Path, array: NDArray[Any], message: str
) -> None:
    dataset = documents.write_arrays(
        tmp_path / "odd.tar", [{"image": pixels_of(2)}, {"image": array}])
    options: dict[str, Any] = {
        "batch_size": 2, "order": "sequential", "transform": shardine.Resize(8)}
    with pytest.raises(shardine.UnsupportedError, match=message):
        list(shardine.Loader(dataset, **options))
    (kept,) = shardine.Loader(dataset, unsupported="drop", **options)
    assert kept.ids.tolist() == [0]


def resize(
    source: shardine.Dataset, out: pathlib.Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Indexes the tar, and resizes the result."""
    index = out.with_name(out.name + "-index")
    run = functools.partial(subprocess.run, capture_output=True, text=True)
    run([SHARDINE, "index", *source.path, index], check=True)
    return run([SHARDINE, "resize", index, out, "--to", "shards", *options])


def resized(number: int, short: int) -> NDArray[numpy.uint8]:
    pixels = pixels_of(number)
    height, width = pixels.shape[:2]
    size = [max(side * short // min(height, width), short) for side in (width, height)]
    flat = pixels[:, :, 0] if pixels.shape[2:] == (1,) else pixels
    made = Image.fromarray(flat).resize((size[0], size[1]), Image.Resampling.BILINEAR)
    return numpy.asarray(made).reshape(size[1], size[0], *pixels.shape[2:])


def test_resize_makes_arrays_of_arrays(tmp_path: pathlib.Path) -> None:
    chosen = [n for n in range(20) if pixels_of(n).shape[2:] != (4,)]
    dataset = documents.write_arrays(
        tmp_path / "set.tar",
        [{"image": pixels_of(n), "points": numpy.arange(n)} for n in chosen])
    done = resize(dataset, tmp_path / "out", "--short-side=8,40")
    assert done.returncode == 0, done.stderr
    for short in (8, 40):
        made = shardine.Dataset(tmp_path / "out" / "sz" / str(short))
        assert made.variant == f"sz/{short}"
        assert len(made) == len(chosen)
        for number, sample in zip(chosen, made):
            numpy.testing.assert_array_equal(
                sample.image, resized(number, short), strict=True)
            assert sample.fields["points"].tolist() == list(range(number))
        (batch,) = shardine.Loader(
            made, batch_size=len(chosen), raw=True, ragged="list", order="sequential")
        assert [i.shape for i in batch.images] == [s.image.shape for s in made]
    verified = subprocess.run([SHARDINE, "verify", "--level=full", tmp_path / "out/sz/8"])
    assert verified.returncode == 0


def test_resize_leaves_smaller_arrays_as_they_are_if_asked(tmp_path: pathlib.Path) -> None:
    dataset = documents.write_arrays(
        tmp_path / "set.tar", [{"image": pixels_of(0)}, {"image": pixels_of(2)}])
    done = resize(dataset, tmp_path / "out", "--short-side=30", "--no-upscale")
    assert done.returncode == 0, done.stderr
    small, large = shardine.Dataset(tmp_path / "out" / "sz" / "30")
    numpy.testing.assert_array_equal(small.image, pixels_of(0), strict=True)
    numpy.testing.assert_array_equal(large.image, resized(2, 30), strict=True)


@pytest.mark.parametrize("fields, options, message", [
    ({"image": pixels_of(3)}, [], "an array of 4 channels"),
    ({"image": pixels_of(2)}, ["--color=gray"], "those keep their channels"),
    ({"image": numpy.zeros((3, 8, 9), "u1")}, [], "|u1 x 3 x 8 x 9, and no image"),
    ({"other": pixels_of(2)}, [], "the sample has no image"),
    ({"image": pixels_of(2)}, ["--format=recordio"], "not arrays"),
])
def test_resize_says_what_arrays_it_does_not_take(
    tmp_path: pathlib.Path, fields: documents.Fields, options: list[str], message: str
) -> None:
    dataset = documents.write_arrays(
        tmp_path / "set.tar", [{"image": pixels_of(0)}, fields])
    done = resize(dataset, tmp_path / "out", "--short-side=8", *options)
    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    assert not (tmp_path / "out" / "sz" / "8" / "shardine.json").exists()
