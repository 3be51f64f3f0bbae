"""Fields that differ in shape, as tensors over the memory of their batch."""

import io
import pathlib
import tarfile
from typing import Any

import numpy
import pytest
import torch

import shardine

ARRAYS = [
    None if i % 3 == 2 else numpy.arange(2 * i, dtype="<f8").reshape(i, 2) + 100 * i
    for i in range(12)
]


@pytest.fixture
def dataset(tmp_path: pathlib.Path) -> shardine.Dataset:
    path = tmp_path / "points.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for i, array in enumerate(ARRAYS):
            members = {"cls": str(i % 2).encode()}
            if array is not None:
                encoded = io.BytesIO()
                numpy.save(encoded, array)
                members["points.npy"] = encoded.getvalue()
            for name, content in members.items():
                info = tarfile.TarInfo(f"{i:04}.{name}")
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    with pytest.warns(UserWarning, match="scanned"):
        return shardine.Dataset([path])


def load(dataset: shardine.Dataset, ragged: Any) -> list[Any]:
    loader = shardine.Loader(
        dataset, batch_size=5, last_batch="short", order="sequential",
        fields=["points"], ragged=ragged, arrays="torch")
    return [batch.fields["points"] for batch in loader]


def test_a_list_has_a_tensor_for_each_sample(dataset: shardine.Dataset) -> None:
    tensors = [t for batch in load(dataset, "list") for t in batch]
    for tensor, array in zip(tensors, ARRAYS, strict=True):
        if array is None:
            assert tensor is None
        else:
            assert tensor.dtype == torch.float64
            assert torch.equal(tensor, torch.from_numpy(array))


def test_offsets_are_those_of_one_tensor(dataset: shardine.Dataset) -> None:
    rest = list(ARRAYS)
    for field in load(dataset, "offsets"):
        assert field.present.dtype == torch.bool
        assert field.offsets.dtype == field.shapes.dtype == torch.int64
        arrays, rest = rest[: len(field.present)], rest[len(field.present):]
        assert field.present.tolist() == [a is not None for a in arrays]
        assert field.values.data_ptr() % 64 == 0
        for tensor, array in zip(field.samples(), arrays, strict=True):
            assert (tensor is None) == (array is None)
            if array is not None:
                assert torch.equal(tensor, torch.from_numpy(array))
        # The values that are present, one after the other, as a model takes points.
        there = [a for a in arrays if a is not None]
        rows = field.values.reshape(-1, 2)
        assert torch.equal(rows, torch.from_numpy(numpy.concatenate(there)))
    assert rest == []
