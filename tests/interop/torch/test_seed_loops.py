"""Loops that people have, as they have them: the prefetcher of apex's ImageNet
example, the trainer of PyTorch's, over a Loader and over a Dataset."""

import contextlib
import io
import os
import pathlib
import pickle
import subprocess
import tarfile
from typing import Any

import numpy
import pytest
import torch
import torch.utils.data
from PIL import Image

import shardine

PHOTOS = pathlib.Path(os.environ["PHOTOS"])
CROP = shardine.RandomResizedCrop((16, 24))

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("packed") / "out"
    subprocess.run(
        [os.environ["SHARDINE"], "pack", str(PHOTOS), str(out)]
        + ["--shard-size=128K", "--seed=7"],
        check=True,
        capture_output=True,
    )
    return out


def load(dataset: pathlib.Path, **options: Any) -> shardine.Loader:
    options.setdefault("transform", CROP)
    return shardine.Loader(dataset, batch_size=4, threads=2, seed=5, **options)


def tensors(dataset: pathlib.Path, **options: Any) -> shardine.Loader:
    return load(dataset, arrays="torch", **options)


def to_tensor(image: Any) -> Any:
    """The output of torchvision's Resize((8, 8)) and ToTensor()."""
    pixels = numpy.asarray(image.resize((8, 8), Image.Resampling.BILINEAR))
    return torch.from_numpy(pixels.copy()).permute(2, 0, 1).float() / 255


@pytest.mark.parametrize("layout", ["channels_last", "nhwc", "nchw"])
def test_batches_hold_tensors_over_their_memory(
    packed: pathlib.Path, layout: str
) -> None:
    for batch, plain in zip(
        tensors(packed, layout=layout), load(packed, layout=layout), strict=True
    ):
        images, labels = batch
        assert images.data_ptr() == batch.images.data_ptr()
        assert labels.data_ptr() == batch.labels.data_ptr()
        assert images.stride() == plain.images.strides  # of bytes
        for name in ("images", "labels", "ids", "positions", "boxes", "bad"):
            tensor = getattr(batch, name)
            assert isinstance(tensor, torch.Tensor)
            assert tensor.numpy().dtype == getattr(plain, name).dtype
            assert (tensor.numpy() == getattr(plain, name)).all()
        assert batch.keys == plain.keys
    kept = images.clone()
    del batch
    assert torch.equal(images, kept)


def test_bytes_stay_bytes(packed: pathlib.Path) -> None:
    images, labels = next(iter(tensors(packed, transform=None, raw=True)))
    assert [type(image) for image in images] == [memoryview] * 4
    assert isinstance(labels, torch.Tensor)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_fields_are_tensors_where_torch_has_their_type(tmp_path: pathlib.Path) -> None:
    arrays = {
        "points": numpy.arange(6, dtype="<f4").reshape(2, 3),
        "mask": numpy.array([True, False]),
        "depth": numpy.array([7, 65535], "<u2"),
    }
    with tarfile.open(tmp_path / "pages.tar", "w") as tar:
        for i in range(4):
            for name, array in arrays.items():
                encoded = io.BytesIO()
                numpy.save(encoded, array)
                info = tarfile.TarInfo(f"{i:04}.{name}.npy")
                info.size = encoded.tell()
                encoded.seek(0)
                tar.addfile(info, encoded)
    loader = tensors(
        tmp_path / "pages.tar", transform=None, fields=[*arrays], last_batch="short"
    )
    ((images, labels),) = batches = list(loader)
    assert images is None
    assert (labels.shape, labels.dtype) == ((4, 0), torch.int64)
    for name, array in arrays.items():
        field = batches[0].fields[name]
        assert isinstance(field, torch.Tensor) == (name != "depth")
        assert (numpy.asarray(field) == array).all() and len(field) == 4


class DataPrefetcher:
    """Apex's: the next batch is on its way to the device while this one is used."""

    def __init__(self, loader: Any) -> None:
        self.loader = iter(loader)
        self.stream = torch.cuda.Stream()
        self.mean = torch.tensor([0.485 * 255, 0.456 * 255, 0.406 * 255])
        self.mean = self.mean.cuda().view(1, 3, 1, 1)
        self.std = torch.tensor([0.229 * 255, 0.224 * 255, 0.225 * 255])
        self.std = self.std.cuda().view(1, 3, 1, 1)
        self.preload()

    def preload(self) -> None:
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = None
            self.next_target = None
            return
        with torch.cuda.stream(self.stream):
            self.next_input = self.next_input.cuda(non_blocking=True)
            self.next_target = self.next_target.cuda(non_blocking=True)
            self.next_input = self.next_input.float()
            self.next_input = self.next_input.sub_(self.mean).div_(self.std)

    def next(self) -> tuple[Any, Any]:
        torch.cuda.current_stream().wait_stream(self.stream)
        input = self.next_input
        target = self.next_target
        if input is not None:
            input.record_stream(torch.cuda.current_stream())
        if target is not None:
            target.record_stream(torch.cuda.current_stream())
        self.preload()
        return input, target


class Stream:
    def wait_stream(self, other: Any) -> None:
        pass


@pytest.fixture
def no_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that is this processor."""
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "current_stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", contextlib.nullcontext)
    monkeypatch.setattr(torch.Tensor, "cuda", lambda self, **_: self)
    monkeypatch.setattr(torch.Tensor, "record_stream", lambda self, stream: None)


@pytest.mark.usefixtures("no_cuda")
@pytest.mark.parametrize("wrapped", [False, True])
def test_apexs_prefetcher_gives_every_batch_normalized(
    packed: pathlib.Path, wrapped: bool
) -> None:
    mean, std = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
    expected = load(packed, dtype="float32", mean=mean, std=std)
    loader: Any = tensors(packed)
    if wrapped:
        loader = torch.utils.data.DataLoader(loader, batch_size=None)
    for _ in range(2):
        prefetcher = DataPrefetcher(loader)
        steps = 0
        epoch = iter(expected)
        input, target = prefetcher.next()
        while input is not None:
            images, labels = next(epoch)
            assert numpy.allclose(input.numpy(), images, atol=1e-5)
            assert (target.numpy() == labels).all()
            steps += 1
            input, target = prefetcher.next()
        assert steps == len(loader) == 6
        assert prefetcher.next() == (None, None)


def accuracy(output: Any, target: Any) -> float:
    _, best = output.topk(1, 1, True, True)
    return float(best.t().eq(target.view(1, -1)).float().sum() * 100 / target.size(0))


def train(train_loader: Any, pixels: int, epochs: int, rate: float) -> list[float]:
    """The loop of PyTorch's ImageNet example, which Efficient-PyTorch has."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * pixels, 4))
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), rate, momentum=0.9)
    losses = []
    for epoch in range(epochs):
        total = count = 0
        for i, (images, target) in enumerate(train_loader):
            output = model(images)
            loss = criterion(output, target)
            assert 0 <= accuracy(output, target) <= 100
            total += loss.item() * images.size(0)
            count += images.size(0)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert i == len(train_loader) - 1
        assert count == 24
        losses.append(total / count)
    return losses


def test_the_example_trainer_learns_from_a_loader(packed: pathlib.Path) -> None:
    crop = shardine.CenterCrop((16, 24), 24)
    loader = tensors(packed, transform=crop, dtype="float32", std=(255, 255, 255))
    losses = train(loader, 16 * 24, 30, 0.005)
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize(
    "workers", [{"num_workers": 0}] + [
        {"num_workers": 2, "multiprocessing_context": method, "timeout": 120}
        for method in ("fork", "spawn")
    ],
)
def test_a_data_loader_with_its_own_collate_takes_pairs(
    packed: pathlib.Path, workers: Any
) -> None:
    dataset = shardine.Dataset(packed, transform=to_tensor)
    loader = torch.utils.data.DataLoader(dataset, batch_size=5, **workers)
    expected = [(to_tensor(image), target)
                for image, target in shardine.Dataset(packed, decode=True)]
    seen = [pair for images, target in loader for pair in zip(images, target)]
    for (image, target), (whole, number) in zip(seen, expected, strict=True):
        assert torch.equal(image, whole)
        assert (target.dtype, int(target)) == (torch.int64, number)


def test_the_example_trainer_learns_from_a_dataset(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed, transform=to_tensor)
    weights = numpy.bincount(dataset.targets)[dataset.targets]  # as samplers want
    assert len(weights) == len(dataset)
    torch.manual_seed(1)
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=6, shuffle=True, num_workers=2, timeout=120,
        persistent_workers=True,
    )
    losses = train(loader, 64, 30, 0.01)
    assert losses[-1] < 0.8 * losses[0]


def test_a_loader_is_an_iterable_dataset(packed: pathlib.Path) -> None:
    loader = load(packed)
    assert isinstance(loader, torch.utils.data.IterableDataset)
    assert isinstance(loader, shardine.Loader)
    around = torch.utils.data.DataLoader(loader, batch_size=None)
    assert len(around) == len(loader) == 6
    for epoch in range(2):
        batches = list(around)
        assert [batch.epoch for batch in batches] == [epoch] * 6
        ids = [int(id) for batch in batches for id in batch.ids]
        assert sorted(ids) == list(range(24))


def test_a_phased_loader_is_one_too(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    phased = shardine.PhasedLoader(
        [shardine.Phase(0, dataset, shardine.CenterCrop(8), 4),
         shardine.Phase(1, dataset, shardine.CenterCrop(16), 6)],
        arrays="torch",
    )
    around = torch.utils.data.DataLoader(phased, batch_size=None)
    shapes = [[tuple(images.shape) for images, _ in around] for _ in range(2)]
    assert shapes == [[(4, 3, 8, 8)] * 6, [(6, 3, 16, 16)] * 4]


def test_workers_of_a_data_loader_have_no_loader(packed: pathlib.Path) -> None:
    """Each would yield the whole epoch."""
    around = torch.utils.data.DataLoader(
        load(packed), batch_size=None, num_workers=1, timeout=60,
        multiprocessing_context="fork",
    )
    with pytest.raises(RuntimeError, match="num_workers=0"):
        next(iter(around))
    with pytest.raises(TypeError, match="num_workers=0"):
        pickle.dumps(load(packed))
