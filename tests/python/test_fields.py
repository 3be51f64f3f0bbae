"""Fields beside or in place of images: control points of dewarped pages."""

import gc
import io
import pathlib
import tarfile
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from PIL import Image

import shardine

Members = dict[str, bytes]
Change = Callable[[int, Members], None]

SAMPLES = 10


def points_of(i: int) -> NDArray[Any]:
    return (numpy.arange(61 * 61 * 2, dtype="<f4") + 1000 * i).reshape(61, 61, 2)


def photo_of(i: int) -> bytes:
    pixels = numpy.random.default_rng(i).integers(0, 256, (40 + i, 60, 3), numpy.uint8)
    encoded = io.BytesIO()
    Image.fromarray(pixels).save(encoded, "JPEG")
    return encoded.getvalue()


def npy(array: NDArray[Any]) -> bytes:
    encoded = io.BytesIO()
    numpy.save(encoded, array)
    return encoded.getvalue()


def write_tar(path: pathlib.Path, change: Change | None = None) -> pathlib.Path:
    """Samples 0 to 9: a photo, its points and its text; `change` alters members
    before they are written."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for i in range(SAMPLES):
            members = {
                "jpg": photo_of(i),
                "cls": str(i % 3).encode(),
                "points.npy": npy(points_of(i)),
                "text.bin": b"page %d" % i,
            }
            if change:
                change(i, members)
            for name, content in members.items():
                info = tarfile.TarInfo(f"{i:04}.{name}")
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return path


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> shardine.Dataset:
    path = write_tar(tmp_path_factory.mktemp("fields") / "pages.tar")
    with pytest.warns(UserWarning, match="scanned"):
        return shardine.Dataset([path])


def numbers(batch: shardine.Batch) -> list[int]:
    return [int(key[:4]) for key in batch.keys]


def test_arrays_come_beside_pixels(dataset: shardine.Dataset) -> None:
    seen = []
    loader = shardine.Loader(
        dataset, batch_size=4, last_batch="short", fields=["points", "text.bin"],
        transform=shardine.Resize((16, 16)),
    )
    for batch in loader:
        assert list(batch.fields) == ["points", "text.bin"]
        points = batch.fields["points"]
        assert points.shape == (len(batch), 61, 61, 2)
        assert points.dtype == numpy.dtype("<f4")
        assert points.ctypes.data % 64 == 0
        assert batch.images.shape == (len(batch), 3, 16, 16)
        for row, number in enumerate(numbers(batch)):
            assert (points[row] == points_of(number)).all()
            assert bytes(batch.fields["text.bin"][row]) == b"page %d" % number
            assert batch.labels[row] == number % 3
            seen.append(number)
    assert sorted(seen) == list(range(SAMPLES))


def test_arrays_come_alone(dataset: shardine.Dataset) -> None:
    for batch in shardine.Loader(dataset, batch_size=5, fields=["points"]):
        assert batch.images is None
        assert batch.boxes.shape[0] == 0
        for row, number in enumerate(numbers(batch)):
            assert (batch.fields["points"][row] == points_of(number)).all()


def test_arrays_come_beside_stored_images(dataset: shardine.Dataset) -> None:
    for batch in shardine.Loader(dataset, batch_size=5, raw=True, fields=["points"]):
        for row, number in enumerate(numbers(batch)):
            assert bytes(batch.images[row]) == photo_of(number)
            assert bytes(batch.fields["image"][row]) == photo_of(number)
            assert (batch.fields["points"][row] == points_of(number)).all()


def test_fields_stay_valid_behind_the_batch(dataset: shardine.Dataset) -> None:
    with shardine.Loader(dataset, batch_size=5, fields=["points", "text.bin"]) as loader:
        kept = [
            (numbers(batch), batch.fields["points"], batch.fields["text.bin"])
            for batch in loader
        ]
    del loader
    gc.collect()
    for names, points, texts in kept:
        for number, array, text in zip(names, points, texts):
            assert (array == points_of(number)).all()
            assert bytes(text) == b"page %d" % number


def test_a_raw_batch_has_the_field_image(dataset: shardine.Dataset) -> None:
    batch = next(iter(shardine.Loader(dataset, batch_size=2, raw=True)))
    assert list(batch.fields) == ["image"]


def test_a_name_that_no_sample_has_is_refused(dataset: shardine.Dataset) -> None:
    with pytest.raises(ValueError, match='no "point" but image, points, text'):
        shardine.Loader(dataset, batch_size=2, fields=["point"])
    with pytest.raises(ValueError, match='"points" twice'):
        shardine.Loader(dataset, batch_size=2, fields=["points", "points"])
    with pytest.raises(TypeError, match="a list of names"):
        shardine.Loader(dataset, batch_size=2, fields="points")
    with pytest.raises(TypeError, match="transform=.*raw=True.*fields="):
        shardine.Loader(dataset, batch_size=2)


def smaller(i: int, members: Members) -> None:
    if i == 6:
        members["points.npy"] = npy(points_of(i)[:60])


def missing(i: int, members: Members) -> None:
    if i == 6:
        del members["points.npy"]


@pytest.mark.parametrize(
    "change, message",
    [
        (smaller, '"points" is <f4 x 60 x 61 x 2, not <f4 x 61 x 61 x 2'),
        (missing, 'no field "points"'),
    ],
)
def test_a_sample_with_another_field_is_a_bad_one(
    tmp_path: pathlib.Path, change: Change, message: str
) -> None:
    path = write_tar(tmp_path / "pages.tar", change)
    with pytest.warns(UserWarning):
        dataset = shardine.Dataset([path])
    options: dict[str, Any] = {
        "batch_size": SAMPLES, "fields": ["points"], "last_batch": "short"}
    with pytest.raises(shardine.UnsupportedError, match=message) as failure:
        list(shardine.Loader(dataset, **options))
    assert "0006" in str(failure.value)
    (dropped,) = shardine.Loader(dataset, on_bad="drop", **options)
    assert 6 not in numbers(dropped)
    for row, number in enumerate(numbers(dropped)):
        assert (dropped.fields["points"][row] == points_of(number)).all()
    (gray,) = shardine.Loader(dataset, on_bad="gray", **options)
    row = numbers(gray).index(6)
    assert gray.bad.tolist() == [i == row for i in range(SAMPLES)]
    assert not gray.fields["points"][row].any()
