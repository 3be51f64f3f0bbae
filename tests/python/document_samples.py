"""Samples such as a synthesiser of document pages makes: four records a page,
two of them with control points; photos in two orientations, as pixels."""

import io
import pathlib
import tarfile
import warnings
from typing import Any

import numpy
from numpy.typing import NDArray

import shardine

PAGES = 5
SUFFIXES = ("d1", "d2", "w1", "di")  # deformed twice, photographed, original
SAMPLES = PAGES * len(SUFFIXES)
Fields = dict[str, NDArray[Any]]


def fields_of(number: int) -> Fields:
    """The fields of sample number page * 4 + suffix."""
    page, suffix = divmod(number, len(SUFFIXES))
    random = numpy.random.default_rng(number)
    height, width = (32, 24) if page % 2 else (24, 32)
    if suffix >= 2:  # at the size they came in
        height, width = height + 7 * page, width + 3 * suffix
    fields: Fields = {
        "image": random.integers(0, 256, (height, width, 3), numpy.uint8)
    }
    if suffix < 2:
        fields["label"] = random.random((5, 5 + page, 2))
    return fields


def npy(array: NDArray[Any]) -> bytes:
    encoded = io.BytesIO()
    numpy.save(encoded, array)
    return encoded.getvalue()


def write_tar(path: pathlib.Path, samples: list[dict[str, bytes]]) -> shardine.Dataset:
    """Samples by the names of their files, as a dataset."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for number, members in enumerate(samples):
            for name, content in members.items():
                info = tarfile.TarInfo(f"{number:04}.{name}")
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it was scanned
        return shardine.Dataset([path])


def write_arrays(path: pathlib.Path, samples: list[Fields]) -> shardine.Dataset:
    return write_tar(
        path,
        [{f"{k}.npy": npy(v) for k, v in fields.items()} for fields in samples],
    )


def numbers(batch: shardine.Batch) -> list[int]:
    return [int(key[:4]) for key in batch.keys]


def check_list(batch: shardine.Batch, name: str) -> None:
    """Each array of a list equals the written one, or is missing."""
    arrays = batch.fields[name]
    assert len(arrays) == len(batch)
    for array, number in zip(arrays, numbers(batch)):
        expected = fields_of(number).get(name)
        if expected is None:
            assert array is None
        else:
            assert array.dtype == expected.dtype
            assert array.flags.aligned
            numpy.testing.assert_array_equal(array, expected)
