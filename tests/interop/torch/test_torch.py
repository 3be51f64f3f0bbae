"""The package in the hands of PyTorch: batches as tensors, Dataset in a
DataLoader, ranks of torch.distributed, training, checkpoints."""

import contextlib
import gc
import io
import json
import os
import pathlib
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
import torch
import torch.utils.data

import shardine

Source = pathlib.Path | shardine.Dataset

PHOTOS = pathlib.Path(os.environ["PHOTOS"])
HERE = pathlib.Path(__file__).parent
CROP = shardine.RandomResizedCrop((16, 24))

torch.set_num_threads(1)  # sums in the same order each time


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """24 photos of 4 classes in several shards."""
    out = tmp_path_factory.mktemp("packed") / "out"
    subprocess.run(
        [os.environ["SHARDINE"], "pack", str(PHOTOS), str(out)]
        + ["--shard-size=128K", "--seed=7"],
        check=True,
        capture_output=True,
    )
    return out


def load(dataset: Source, **options: Any) -> shardine.Loader:
    options.setdefault("batch_size", 4)
    options.setdefault("threads", 2)
    options.setdefault("transform", CROP)
    return shardine.Loader(dataset, **options)


def test_tensors_share_the_memory_of_the_batch(packed: pathlib.Path) -> None:
    batch = next(iter(load(packed)))
    for array in (batch.images, batch.labels, batch.ids, batch.boxes):
        tensor = torch.from_dlpack(array)
        assert tensor.data_ptr() == array.ctypes.data
        assert tensor.shape == array.shape
        assert (tensor.numpy() == array).all()
        tensor.zero_()
        assert not array.any()
        tensor += 1
        assert (array == 1).all()
    assert (batch.images == 1).all()
    assert (torch.from_numpy(batch.bad) == torch.zeros(4, dtype=bool)).all()


def test_types_are_torchs(packed: pathlib.Path) -> None:
    batch = next(iter(load(packed)))
    types = {
        name: torch.from_dlpack(getattr(batch, name)).dtype
        for name in ("images", "labels", "ids", "boxes")
    }
    assert types == {
        "images": torch.uint8,
        "labels": torch.int64,
        "ids": torch.int64,
        "boxes": torch.int32,
    }
    for name, dtype in (("float32", torch.float32), ("float64", torch.float64)):
        batch = next(iter(load(packed, label_dtype=name)))
        assert torch.from_dlpack(batch.labels).dtype == dtype


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32"])
def test_layouts_are_torchs_memory_formats(packed: pathlib.Path, dtype: str) -> None:
    mean, std = (124, 116, 104), (58, 57, 57)
    options = {} if dtype == "uint8" else {"mean": mean, "std": std}

    def images(layout: str) -> Any:
        batch = next(iter(load(packed, layout=layout, dtype=dtype, **options)))
        return torch.from_dlpack(batch.images)

    channels_last, nhwc, nchw = map(images, ("channels_last", "nhwc", "nchw"))
    assert channels_last.dtype == getattr(torch, dtype)
    assert channels_last.shape == nchw.shape == (4, 3, 16, 24)
    assert nhwc.shape == (4, 16, 24, 3)
    assert channels_last.is_contiguous(memory_format=torch.channels_last)
    assert not channels_last.is_contiguous()
    assert nchw.is_contiguous()
    assert nhwc.is_contiguous()
    assert torch.equal(channels_last, nchw)
    assert torch.equal(channels_last.permute(0, 2, 3, 1), nhwc)
    if dtype == "uint8":
        return
    plain = torch.from_dlpack(next(iter(load(packed, layout="nhwc"))).images)
    expected = (plain.float() - torch.tensor(mean)) / torch.tensor(std)
    assert torch.equal(nhwc, expected.to(nhwc.dtype))


def test_tensors_outlive_batch_and_loader(packed: pathlib.Path) -> None:
    loader = load(packed)
    tensors = [torch.from_dlpack(batch.images) for batch in loader]
    copies = [tensor.clone() for tensor in tensors]
    for _ in range(3):
        for _batch in loader:
            pass
    loader.close()
    del loader, _batch
    gc.collect()
    assert len({tensor.data_ptr() for tensor in tensors}) == 6
    assert all(map(torch.equal, tensors, copies))


def collate(samples: list[shardine.Sample]) -> tuple[Any, Any, list[tuple[str, Any]]]:
    return (
        torch.tensor([sample.id for sample in samples]),
        torch.tensor([sample.label for sample in samples]),
        [(sample.key, sample.image) for sample in samples],
    )


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_data_loader_delivers_every_sample_once(
    packed: pathlib.Path, method: str, streamed: bool
) -> None:
    dataset = shardine.Dataset(packed)
    if streamed:  # in the parent, by threads that no child has
        loader = load(dataset)
        next(iter(loader))
    workers = torch.utils.data.DataLoader(
        dataset,
        batch_size=5,
        shuffle=True,
        num_workers=2,
        multiprocessing_context=method,
        collate_fn=collate,
        timeout=120,
        persistent_workers=True,
    )
    for _ in range(2):
        seen = {}
        for ids, labels, samples in workers:
            for id, label, sample in zip(ids.tolist(), labels.tolist(), samples):
                assert id not in seen
                seen[id] = (label, *sample)
        assert len(seen) == 24
        for id, (label, key, image) in seen.items():
            path = PHOTOS / key
            assert image == path.read_bytes()
            assert dataset.classes[label] == path.parent.name
        assert {s.id: (s.label, s.key, s.image) for s in dataset} == seen


@pytest.mark.parametrize("workers", [0, 2])
def test_the_default_collate_makes_a_sample_of_samples(
    packed: pathlib.Path, workers: int
) -> None:
    dataset = shardine.Dataset(packed)
    batches = torch.utils.data.DataLoader(
        dataset, batch_size=5, num_workers=workers, timeout=60 * workers
    )
    first = 0
    for batch in batches:
        samples = [dataset[i] for i in range(first, min(first + 5, 24))]
        first += len(samples)
        assert isinstance(batch, shardine.Sample)
        of: Any = batch  # of tensors and lists, which torch made of the parts
        assert of.id.tolist() == [sample.id for sample in samples]
        assert of.label.dtype == torch.int64
        assert of.label.tolist() == [sample.label for sample in samples]
        assert list(of.key) == [sample.key for sample in samples]
        assert list(of.image) == [sample.image for sample in samples]
    assert first == 24


class Share(torch.utils.data.IterableDataset):
    """A worker's part of each epoch, as batches."""

    def __init__(self, dataset: shardine.Dataset) -> None:
        self.dataset = dataset

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        worker = torch.utils.data.get_worker_info()
        with load(
            self.dataset,
            rank=worker.id,
            world=worker.num_workers,
            last_batch="short",
            threads=1,
        ) as loader:
            for batch in loader:
                yield batch.ids.copy(), torch.from_dlpack(batch.images).clone()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_can_have_loaders_of_their_own(
    packed: pathlib.Path, method: str
) -> None:
    dataset = shardine.Dataset(packed)
    whole = {
        int(id): image
        for batch in load(dataset, last_batch="short")
        for id, image in zip(batch.ids, torch.from_dlpack(batch.images))
    }
    assert len(whole) == 24
    workers = torch.utils.data.DataLoader(
        Share(dataset),
        batch_size=None,
        num_workers=2,
        multiprocessing_context=method,
        timeout=120,
    )
    seen = [pair for ids, images in workers for pair in zip(ids, images)]
    assert sorted(int(id) for id, _ in seen) == sorted(whole)
    assert all(torch.equal(image, whole[int(id)]) for id, image in seen)


def test_a_loader_that_would_be_batched_again_says_what_to_write(
    packed: pathlib.Path,
) -> None:
    loader = load(shardine.Dataset(packed))
    with pytest.warns(UserWarning, match=r"DataLoader\(loader, batch_size=None\)"):
        with contextlib.suppress(TypeError, RuntimeError):
            next(iter(torch.utils.data.DataLoader(loader)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        next(iter(torch.utils.data.DataLoader(loader, batch_size=None)))


def test_ranks_are_those_of_torch_distributed(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-B", str(HERE / "two_ranks.py"), str(packed)]
            + [str(tmp_path / "rendezvous"), str(rank)],
            # Contradicted by torch, whose word counts.
            env={
                **os.environ,
                "GLOO_SOCKET_IFNAME": "lo",
                "RANK": "0",
                "WORLD_SIZE": "1",
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        answers = [process.communicate(timeout=120)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0]
    first, second = map(json.loads, answers)
    assert (first["rank"], second["rank"]) == (0, 1)
    for rank, answer in enumerate((first, second)):
        [[said, where]] = answer["said"]  # once, of the loader made too early
        assert "this loader is rank 0 of 1" in said
        assert f"this process is rank {rank} of 2 now" in said
        assert pathlib.Path(where).name == "two_ranks.py"
    assert first["world"] == second["world"] == 2
    assert first["steps"] == second["steps"] == 4
    assert sorted(first["ids"] + second["ids"]) == list(range(24))
    assert first["state"] == second["state"]
    assert first["weights"] == second["weights"] != 0


def model() -> Any:
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 5, stride=2),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(4),
        torch.nn.Flatten(),
        torch.nn.Linear(128, 4),
    ).to(memory_format=torch.channels_last)


class Training:
    def __init__(self, dataset: Source) -> None:
        self.loader = load(
            dataset,
            batch_size=6,
            dtype="float32",
            mean=(124, 116, 104),
            std=(58, 57, 57),
            transform=shardine.RandomResizedCrop(32, scale=(0.5, 1)),
        )
        self.network = model()
        self.optimizer = torch.optim.SGD(
            self.network.parameters(), lr=0.003, momentum=0.9
        )

    def step(self, batch: shardine.Batch) -> float:
        images = torch.from_dlpack(batch.images)
        labels = torch.from_dlpack(batch.labels)
        loss = torch.nn.functional.cross_entropy(self.network(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss)

    def epoch(self) -> list[float]:
        return [self.step(batch) for batch in self.loader]

    def save(self) -> bytes:
        file = io.BytesIO()
        parts = (self.network, self.optimizer, self.loader)
        torch.save([part.state_dict() for part in parts], file)
        return file.getvalue()

    def restore(self, checkpoint: bytes) -> None:
        states = torch.load(io.BytesIO(checkpoint))
        for part, state in zip(
            (self.network, self.optimizer, self.loader), states
        ):
            part.load_state_dict(state)


def test_training_learns(packed: pathlib.Path) -> None:
    training = Training(packed)
    losses = [numpy.mean(training.epoch()) for _ in range(40)]
    assert numpy.mean(losses[-5:]) < 0.5 * numpy.mean(losses[:2])


def test_a_checkpoint_goes_on_to_the_same_weights(packed: pathlib.Path) -> None:
    whole = Training(packed)
    whole.epoch()
    for step, batch in enumerate(whole.loader):
        whole.step(batch)
        if step == 1:
            checkpoint = whole.save()
    resumed = Training(packed)
    resumed.restore(checkpoint)
    assert (len(resumed.loader), resumed.loader.steps_left) == (4, 2)
    resumed.epoch()
    for ours, theirs in zip(
        resumed.network.parameters(), whole.network.parameters()
    ):
        assert torch.equal(ours, theirs)
    assert resumed.loader.epoch == whole.loader.epoch == 2
