"""ImageRecordIter's batches as tensors: those of NumPy."""

import pathlib
from typing import Any, Dict

import numpy
import pytest
import torch

import shardine

pytestmark = pytest.mark.filterwarnings("ignore:.*scanned", "ignore:.*no keys")


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "int8"])
@pytest.mark.parametrize("channels", [1, 3])
def test_tensors_have_the_values_of_arrays(
    tmp_path: pathlib.Path, dtype: str, channels: int
) -> None:
    numbers = numpy.random.default_rng(1)
    with shardine.Writer(tmp_path / "out", format="recordio") as writer:
        for label in range(5):
            image = numbers.integers(0, 256, (30, 40, channels)).astype(numpy.uint8)
            writer.write({"image": image.repeat(3 // channels, 2), "label": label})
    given: Dict[str, Any] = {"dtype": dtype, "rand_mirror": True, "resize": 28}
    if dtype == "int8":
        given["mean_r"] = 100
    shape = (channels, 24, 24)
    arrays = shardine.ImageRecordIter(tmp_path / "out", shape, 2, **given)
    tensors = shardine.ImageRecordIter(
        tmp_path / "out", shape, 2, arrays="torch", **given
    )
    for expected, (images, labels) in zip(arrays, tensors):
        assert images.dtype == getattr(torch, dtype)
        assert labels.dtype == torch.float32
        assert (images.numpy() == expected.data[0]).all()
        assert (labels.numpy() == expected.label[0]).all()
    grays = shardine.ImageRecordIter(tmp_path / "out", (1, 9, 9), 2, arrays="torch")
    expected = shardine.ImageRecordIter(tmp_path / "out", (1, 9, 9), 2).next()
    gray = grays.next().data[0]
    assert gray.shape == (2, 1, 9, 9)
    assert (gray.numpy() == expected.data[0]).all()
