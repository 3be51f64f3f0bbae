"""Loops over batches and loaders: unpack, next(), isinstance()."""

import pathlib
import pickle
import subprocess
import sys
from typing import Any

import pytest

import shardine
from conftest import PHOTOS, Source, pack

CROP = shardine.RandomResizedCrop((16, 24))


def load(dataset: Source, **options: Any) -> shardine.Loader:
    if not options.get("raw") and not options.get("fields"):
        options.setdefault("transform", CROP)
    return shardine.Loader(dataset, batch_size=4, threads=2, **options)


def test_a_batch_is_a_pair_of_its_images_and_labels(packed: pathlib.Path) -> None:
    batch = next(iter(load(packed)))
    images, labels = batch
    for part, named in ((images, batch.images), (labels, batch.labels)):
        assert type(part) is type(named)
        assert part.ctypes.data == named.ctypes.data
        assert (part.shape, part.dtype) == (named.shape, named.dtype)
    assert len(batch) == 4  # samples, as before
    assert len(tuple(batch)) == 2
    with pytest.raises(ValueError, match="not enough values"):
        images, labels, ids = batch


def test_bytes_and_fields_unpack_as_what_they_are_named(packed: pathlib.Path) -> None:
    images, labels = batch = next(iter(load(packed, raw=True)))
    assert images == batch.images
    assert [type(image) for image in images] == [memoryview] * 4
    assert labels.shape == (4,)
    images, labels = batch = next(iter(load(packed, fields=["image"])))
    assert images == batch.images == batch.fields["image"]


def test_labels_have_the_shape_that_the_dataset_has(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    lst = tmp_path / "two.lst"
    lst.write_text("".join(f"{i}\t{i}\t7\tx\n" for i in range(24)))
    two = shardine.Dataset(packed, labels=lst, labels_by="id")
    flat = tmp_path / "flat"
    flat.mkdir()
    for file in PHOTOS.glob("*/*"):
        (flat / file.name).write_bytes(file.read_bytes())
    none = pack(flat, tmp_path / "out", "--unlabelled")
    for dataset, each in ((two, 2), (none, 0)):
        for batch in load(dataset):
            images, labels = batch
            assert labels.shape == batch.labels.shape == (4, each)
            assert labels.dtype == "int64"


def test_a_prefetcher_takes_one_batch_ahead(packed: pathlib.Path) -> None:
    iterator = iter(load(packed))
    ahead = next(iterator, None)
    sums = []
    while ahead is not None:
        images, labels = ahead
        ahead = next(iterator, None)
        sums.append(int(images.sum()))
    assert next(iterator, None) is None
    assert sums == [int(images.sum()) for images, labels in load(packed)]


def run(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_loads_neither_torch_nor_pillow(packed: pathlib.Path) -> None:
    script = (
        "import sys, shardine\n"
        "loader = shardine.Loader(sys.argv[1], batch_size=4,\n"
        "                         transform=shardine.CenterCrop(8))\n"
        "assert isinstance(loader, shardine.Loader)\n"
        "assert loader.__class__ is shardine.Loader\n"
        "print(sorted({'torch', 'PIL'} & set(sys.modules)))\n"
    )
    assert run(script, str(packed)) == "[]\n"


# The half of a torch: modules imported later, or in another order, or not complete yet.
LATER = """
import collections.abc, sys, types
import shardine
options = dict(transform=shardine.CenterCrop(8))
loader = shardine.Loader(sys.argv[1], batch_size=4, **options)
phased = shardine.PhasedLoader([shardine.Phase(
    0, shardine.Dataset(sys.argv[1]), options["transform"], 4)])
data = types.ModuleType("torch.utils.data")
sys.modules["torch.utils.data"] = data
assert loader.__class__ is shardine.Loader
class IterableDataset(*eval(sys.argv[2])): pass
data.IterableDataset = IterableDataset
class Derived(shardine.Loader): pass
derived = Derived(sys.argv[1], batch_size=4, **options)
for one, own in ((loader, shardine.Loader), (phased, shardine.PhasedLoader),
                 (derived, shardine.Loader), (derived, Derived)):
    assert isinstance(one, IterableDataset), one
    assert isinstance(one, own) and issubclass(one.__class__, own)
assert not isinstance(loader, (Derived, shardine.PhasedLoader))
assert not isinstance(shardine.Dataset(sys.argv[1]), IterableDataset)
print(loader.__class__.__name__, len(list(loader)), len(list(phased)))
"""


# The second is of a metaclass with an isinstance() of its own, as newer torch's is.
@pytest.mark.parametrize("bases", ["[]", "[collections.abc.Iterable]"])
def test_a_loader_is_an_iterable_dataset_from_when_there_are_such(
    packed: pathlib.Path, bases: str
) -> None:
    assert run(LATER, str(packed), bases) == "Loader 6 6\n"


def test_a_loader_is_not_pickled(packed: pathlib.Path) -> None:
    with pytest.raises(TypeError, match="num_workers=0"):
        pickle.dumps(load(packed))


def test_tensors_need_torch(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match='arrays="torch"'):
        load(packed, arrays="torch")
    with pytest.raises(ValueError, match='arrays: "jax" is none of numpy, torch'):
        load(packed, arrays="jax")
    with pytest.raises(TypeError, match="arrays: None"):
        load(packed, arrays=None)
