"""Samples as a map-style Dataset of torch's, through its DataLoader."""

import os
import pathlib
import pickle
import subprocess
from collections.abc import Iterable
from typing import Any

import numpy
import pytest
import torch
import torch.utils.data

import shardine
from shardine.torch_samples import TorchSamples

PHOTOS = pathlib.Path(os.environ["PHOTOS"])
WORKERS: list[dict[str, Any]] = [
    {"num_workers": 0},
    {"num_workers": 2, "multiprocessing_context": "fork", "timeout": 120},
    {"num_workers": 2, "multiprocessing_context": "spawn", "timeout": 120},
]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("packed") / "out"
    subprocess.run(
        [os.environ["SHARDINE"], "pack", PHOTOS, out, "--shard-size=128K"],
        check=True, capture_output=True,
    )
    return out


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Samples with fields, of one form but for the last, which has another shape."""
    out = tmp_path_factory.mktemp("pages") / "out"
    random = numpy.random.default_rng(1)
    with shardine.Writer(out, format="webdataset") as writer:
        for n in range(9):
            pixels = random.integers(0, 256, (6, 5, 3), dtype="u1")
            points = random.random((4 if n < 8 else 5, 2), dtype="f4")
            text = f"page {n}"
            writer.write(
                {"image": pixels, "label": [n, n + 1], "points": points, "text": text},
                key=f"p{n}", id=100 + n,
            )
    return out


def small(image: Any) -> torch.Tensor:
    """Resizes a Pillow image, as a module's function: spawned processes find it."""
    return torch.from_numpy(numpy.array(image.resize((8, 6))))


def halved(image: Any) -> Any:
    return image.resize((8, 6))


@pytest.mark.parametrize("how", WORKERS)
def test_pairs_are_those_of_the_dataset_in_any_worker(
    packed: pathlib.Path, how: dict[str, Any]
) -> None:
    dataset = shardine.Dataset(packed)
    samples = dataset.as_torch(transform=small)
    assert isinstance(samples, torch.utils.data.Dataset)
    expected = [(small(s.pil()), s.label) for s in dataset]
    loader = torch.utils.data.DataLoader(samples, 5, **how)
    images, labels = zip(*loader)
    assert [len(each) for each in images] == [5, 5, 5, 5, 4]
    assert torch.equal(torch.cat(images), torch.stack([i for i, _ in expected]))
    assert torch.cat(labels).tolist() == [label for _, label in expected]
    assert labels[0].dtype == torch.int64


@pytest.mark.parametrize("how", WORKERS)
def test_dicts_hold_every_field_in_any_worker(
    pages: pathlib.Path, how: dict[str, Any]
) -> None:
    dataset = shardine.Dataset(pages)
    loader = torch.utils.data.DataLoader(dataset[:8].as_torch("dict"), 4, **how)
    for first, batch in zip((0, 4), loader, strict=True):
        some = [dataset[i] for i in range(first, first + 4)]
        assert batch["id"].tolist() == [s.id for s in some]
        assert batch["key"] == [s.key for s in some]
        assert batch["text"] == [s.fields["text"] for s in some]
        assert batch["label"].tolist() == [list(s.labels) for s in some]
        assert numpy.array_equal(
            batch["points"], numpy.stack([s.fields["points"] for s in some])
        )
        pixels = numpy.stack([s.array for s in some]).transpose(0, 3, 1, 2)
        assert numpy.array_equal(batch["image"], pixels)


def test_shuffles_samplers_and_pickles_reach_every_sample(
    packed: pathlib.Path,
) -> None:
    dataset = shardine.Dataset(packed)
    samples = pickle.loads(pickle.dumps(dataset.as_torch("dict", transform=halved)))
    assert len(samples) == 24
    ids = [sample.id for sample in dataset]
    generator = torch.Generator().manual_seed(1)
    shuffled = torch.utils.data.DataLoader(
        samples, 7, shuffle=True, generator=generator
    )
    seen = [id for batch in shuffled for id in batch["id"].tolist()]
    assert sorted(seen) == sorted(ids) and seen != ids
    weights = torch.utils.data.WeightedRandomSampler([0.0] * 20 + [1.0] * 4, 9)
    drawn = torch.utils.data.DataLoader(samples, 3, sampler=weights)
    assert {i for batch in drawn for i in batch["id"].tolist()} <= set(ids[20:])
    part = torch.utils.data.Subset(samples, [3, -1])
    batch = next(iter(torch.utils.data.DataLoader(part, 2)))
    assert batch["id"].tolist() == [ids[3], ids[23]]
    assert batch["image"].shape == (2, 3, 6, 8)


def test_a_datasets_own_transforms_are_kept(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed, transform=small, target_transform=str)
    image, label = dataset.as_torch()[3]
    assert torch.equal(image, dataset[3][0]) and label == dataset[3][1]
    assert dataset.as_torch(transform=halved)[3][0].shape == (3, 6, 8)


def test_a_sample_of_another_form_is_named(pages: pathlib.Path) -> None:
    dataset = shardine.Dataset(pages)
    samples = dataset.as_torch("dict")
    with pytest.raises(ValueError) as caught:
        list(torch.utils.data.DataLoader(samples, 9))
    assert "sample 'p8': its points is 5 x 2 float32, and that of the first " \
        "sample 4 x 2 float32; fields=[...] can do without it" in str(caught.value)
    batch = next(iter(torch.utils.data.DataLoader(
        dataset.as_torch("dict", fields=["text"]), 9)))
    assert sorted(batch) == ["id", "image", "key", "label", "text"]


def test_samples_without_labels_are_dicts_and_no_tuples(
    tmp_path: pathlib.Path,
) -> None:
    image = next(PHOTOS.glob("*/*")).read_bytes()
    with shardine.Writer(tmp_path / "out", format="webdataset") as writer:
        for n in range(3):
            writer.write({"image": image} if n < 2 else {"image": image, "label": 1})
    dataset = shardine.Dataset(tmp_path / "out")
    with pytest.raises(ValueError, match="'00000001': it has no label.*\"dict\""):
        dataset.as_torch()[1]
    samples = dataset.as_torch("dict")
    batch = next(iter(torch.utils.data.DataLoader(samples, 2)))
    assert sorted(batch) == ["id", "image", "key"]
    with pytest.raises(ValueError, match="'00000002': its label is one number, and "
                       "that of the first sample not there"):
        samples[2]


def test_photos_of_unequal_sizes_ask_for_a_transform(packed: pathlib.Path) -> None:
    samples = shardine.Dataset(packed).as_torch()
    assert samples[0][0].dtype == torch.uint8
    with pytest.raises(ValueError, match="image is 3 x .*transform= can make"):
        list(torch.utils.data.DataLoader(samples, 5))


def test_samples_without_images_and_odd_types_say_so(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(tmp_path / "out", format="webdataset") as writer:
        for n in range(2):
            writer.write({"name": numpy.array(["a", "b"]), "label": n})
    dataset = shardine.Dataset(tmp_path / "out")
    with pytest.raises(shardine.UnsupportedError, match="no image"):
        dataset.as_torch()[0]
    with pytest.raises(shardine.UnsupportedError, match="'name' is of <U1, which"):
        dataset.as_torch("dict")[0]
    batch = next(iter(torch.utils.data.DataLoader(
        dataset.as_torch("dict", fields=[]), 2)))
    assert batch["label"].tolist() == [0, 1] and "image" not in batch


def test_arguments_that_make_no_sense_are_explained(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    for given, words in (
        ({"form": "list"}, "form: 'list' is neither"),
        ({"fields": ["a"]}, 'fields: are of as_torch\\("dict"\\)'),
        ({"form": "dict", "fields": "a"}, "fields: 'a' is not a list"),
        ({"transform": 3}, "transform: 3 is not a function"),
        ({"transform": shardine.Resize(8)}, "transform: .* is for a shardine.Loader"),
    ):
        options: Any = given
        with pytest.raises((TypeError, ValueError), match=words):
            dataset.as_torch(**options)
    assert "'tuple's of <shardine.Dataset" in repr(TorchSamples(dataset))


def test_without_cuda_pinning_is_a_warning_and_nothing_else(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(**options: Any) -> shardine.Loader:
        return shardine.Loader(
            packed, batch_size=6, transform=shardine.Resize(8), **options
        )

    with pytest.raises(ValueError, match='pin_memory: is of arrays="torch"'):
        load(pin_memory=True)
    plain = [batch.images for batch in load(arrays="torch")]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.warns(UserWarning, match="no CUDA device") as caught:
        loader = load(arrays="torch", pin_memory=True)
    assert caught[0].filename == __file__
    assert all(map(torch.equal, plain, (batch.images for batch in loader)))


def test_with_cuda_every_tensor_is_pinned(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same on a machine with a device, whose memory is pinned in fact."""
    pinned: list[torch.Tensor] = []
    if not torch.cuda.is_available():
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)

        def pin(self: torch.Tensor) -> torch.Tensor:
            pinned.append(self.clone())
            return pinned[-1]

        monkeypatch.setattr(torch.Tensor, "pin_memory", pin)
    loader = shardine.Loader(
        packed, batch_size=6, transform=shardine.Resize(8), arrays="torch",
        pin_memory=True,
    )
    for batch in loader:
        for tensor in batch:
            assert tensor.is_pinned() or any(tensor is each for each in pinned)


class Holding(torch.utils.data.Dataset):
    """Hands out a worker's view of a Dataset that the parent's loader reads."""

    def __init__(self, loader: shardine.Loader) -> None:
        self.loader = loader

    def __len__(self) -> int:
        return len(self.loader.dataset)

    def __getitem__(self, position: int) -> tuple[int, bytes]:
        sample = self.loader.dataset[position]
        return sample.id, sample.image


def test_a_forked_worker_that_holds_a_loader_reads_the_same_samples(
    packed: pathlib.Path,
) -> None:
    loader = shardine.Loader(packed, batch_size=4, transform=shardine.Resize(8))
    batches = iter(loader)
    first = next(batches).ids.tolist()
    workers = torch.utils.data.DataLoader(
        Holding(loader), 6, num_workers=2, multiprocessing_context="fork", timeout=120
    )
    seen = [pair for ids, images in workers for pair in zip(ids.tolist(), images)]
    assert seen == [(s.id, s.image) for s in loader.dataset]
    # The parent's own threads went on.
    rest = [id for batch in batches for id in batch.ids.tolist()]
    assert sorted(first + rest) == list(range(24))


class Counted(shardine.Dataset):
    """Keeps how many samples were asked for at a time."""

    asked: list[int] = []

    def samples_at(self, positions: Iterable[int]) -> list[shardine.Sample]:
        positions = list(positions)
        self.asked.append(len(positions))
        return super().samples_at(positions)


@pytest.mark.parametrize("kind", ["dataset", "selection", "as_torch"])
def test_a_batch_is_read_at_once(packed: pathlib.Path, kind: str) -> None:
    dataset = Counted(packed)
    dataset.asked.clear()
    items = {"dataset": dataset, "selection": dataset[:],
             "as_torch": dataset.as_torch(transform=small)}[kind]
    loader = torch.utils.data.DataLoader(items, 4, shuffle=True, collate_fn=list)
    batches = list(loader)
    assert [len(batch) for batch in batches] == dataset.asked
    assert sum(dataset.asked) == len(dataset)
