"""Batches ahead of the consumer: values, order, places, ends, failures. On the CPU;
tests that need CUDA say so where there is none."""

import gc
import os
import pathlib
import subprocess
import sys
import threading
import time
from typing import Any

import numpy
import pytest
import torch

import shardine
import shardine.torch
from test_torch import load, packed  # noqa: F401  # the fixture

MEAN, STD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
ON_CUDA = pytest.param(
    "cuda",
    marks=pytest.mark.skipif(
        not torch.cuda.is_available(), reason="NOT TESTED: there is no CUDA here"
    ),
)


def prefetch(loader: Any, **options: Any) -> shardine.torch.CudaPrefetcher:
    options.setdefault("device", "cpu")
    return shardine.torch.CudaPrefetcher(loader, **options)


def sums(batches: Any) -> list[tuple[float, list[int]]]:
    return [(float(images.sum()), labels.tolist()) for images, labels in batches]


@pytest.fixture
def loader(packed: pathlib.Path) -> shardine.Loader:  # noqa: F811
    return load(packed, last_batch="short", batch_size=5, seed=3)


@pytest.mark.parametrize("layout", ["channels_last", "nhwc", "nchw"])
@pytest.mark.parametrize("arrays", ["numpy", "torch"])
@pytest.mark.parametrize("device", ["cpu", ON_CUDA])
def test_values_are_those_that_the_loader_calculates(
    packed: pathlib.Path, layout: str, arrays: str, device: str  # noqa: F811
) -> None:
    plain = load(packed, layout=layout, arrays=arrays)
    floats = load(packed, layout="nchw", dtype="float32", normalize="imagenet")
    for (images, labels), expected in zip(
        prefetch(plain, normalize="imagenet", device=device), floats, strict=True
    ):
        assert images.is_contiguous(memory_format=torch.channels_last)
        numpy.testing.assert_allclose(images.cpu(), expected.images, rtol=0, atol=1e-6)
        assert labels.tolist() == expected.labels.tolist()


@pytest.mark.parametrize("arrays", ["numpy", "torch"])
@pytest.mark.parametrize("device", ["cpu", ON_CUDA])
def test_each_view_comes_normalized(
    packed: pathlib.Path, arrays: str, device: str  # noqa: F811
) -> None:
    views: Any = {"transform": None,
                  "views": [shardine.RandomResizedCrop(32), shardine.CenterCrop((16, 24))]}
    plain = load(packed, arrays=arrays, **views)
    floats = load(packed, layout="nchw", dtype="float32", normalize="imagenet", **views)
    for (images, labels), expected in zip(
        prefetch(plain, normalize="imagenet", device=device), floats, strict=True
    ):
        assert isinstance(images, tuple) and len(images) == 2
        for view, wanted in zip(images, expected.views, strict=True):
            numpy.testing.assert_allclose(view.cpu(), wanted, rtol=0, atol=1e-6)
        assert labels.tolist() == expected.labels.tolist()


@pytest.mark.parametrize("size", [(3, 8), (8, 3), (3, 3)])
@pytest.mark.parametrize("layout", ["channels_last", "nhwc", "nchw"])
def test_sides_of_three_pixels_are_not_taken_for_channels(
    packed: pathlib.Path, size: tuple[int, int], layout: str  # noqa: F811
) -> None:
    resized = {"transform": shardine.Resize(size), "layout": layout}
    floats = load(packed, **{**resized, "layout": "nchw"}, dtype="float32",
                  normalize="imagenet")
    for (images, _), expected in zip(
        prefetch(load(packed, **resized), normalize="imagenet"), floats, strict=True
    ):
        numpy.testing.assert_allclose(images, expected.images, rtol=0, atol=1e-6)


def test_images_without_three_channels_are_refused(packed: pathlib.Path) -> None:  # noqa: F811
    for shape in ((2, 1, 8, 8), (2, 8, 8), (2, 8, 8, 4)):
        made = numpy.zeros(shape, "u1"), numpy.zeros(2, "i8")
        loader = load(packed, callback=lambda batch, made=made: made)
        with pytest.raises(TypeError, match="not uint8 of samples x 3 x height x width"):
            next(iter(prefetch(loader)))


def test_the_loader_and_torchvision_s_formula_agree(packed: pathlib.Path) -> None:  # noqa: F811
    bytes_of = load(packed)
    floats = load(packed, dtype="float32", normalize="imagenet")
    mean, std = numpy.array(
        [(0.485, 0.456, 0.406), (0.229, 0.224, 0.225)], "f8"
    ).reshape(2, 3, 1, 1)
    for batch, floating in zip(bytes_of, floats, strict=True):
        wanted = (batch.images / 255 - mean) / std
        numpy.testing.assert_allclose(floating.images, wanted, rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("channels_last", [True, False])
def test_a_type_is_the_rounded_value_of_float32(
    packed: pathlib.Path, dtype: Any, channels_last: bool  # noqa: F811
) -> None:
    batch = next(iter(load(packed, layout="nchw")))
    mean, std = (torch.tensor(three).view(1, 3, 1, 1) for three in (MEAN, STD))
    expected = ((torch.from_numpy(batch.images).float() - mean) / std).to(dtype)
    images, _ = next(
        iter(
            prefetch(
                load(packed), mean=MEAN, std=STD, dtype=dtype, channels_last=channels_last
            )
        )
    )
    assert images.dtype == dtype
    assert torch.equal(images, expected)
    memory = torch.channels_last if channels_last else torch.contiguous_format
    assert images.is_contiguous(memory_format=memory)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_epochs_have_all_batches_and_an_end(loader: shardine.Loader, depth: int) -> None:
    expected = [
        [(float(b.images.astype("f4").sum()), b.labels.tolist()) for b in loader]
        for _ in range(3)
    ]
    loader.set_epoch(0)
    batches = prefetch(loader, depth=depth)
    assert len(batches) == len(expected[0])
    for epoch in expected:
        got = sums(batches)
        assert [labels for _, labels in got] == [labels for _, labels in epoch]
        numpy.testing.assert_allclose(
            [value for value, _ in got], [value for value, _ in epoch], rtol=1e-5
        )


@pytest.mark.parametrize("taken", [0, 1, 3, 5])
def test_a_state_is_that_of_the_batch_that_was_taken(
    loader: shardine.Loader, packed: pathlib.Path, taken: int  # noqa: F811
) -> None:
    whole = sums(prefetch(loader))
    loader.set_epoch(0)
    batches = prefetch(loader, depth=4)
    iterator = iter(batches)
    for _ in range(taken):
        next(iterator)
    time.sleep(0.2)  # the thread is ahead by now
    state = batches.state_dict()
    other = prefetch(load(packed, last_batch="short", batch_size=5, seed=3))
    other.load_state_dict(state)
    rest = sums(other)
    assert rest == (whole[taken:] or sums(prefetch_epoch(loader, 1)))
    # And the same object goes on from it.
    batches.load_state_dict(state)
    assert sums(batches) == rest


def prefetch_epoch(loader: shardine.Loader, epoch: int) -> Any:
    loader.set_epoch(epoch)
    return prefetch(loader)


def test_left_early_the_next_is_the_next_epoch(loader: shardine.Loader) -> None:
    first, second = sums(prefetch_epoch(loader, 0)), sums(prefetch(loader))
    batches = prefetch_epoch(loader, 0)
    for _ in batches:
        break
    assert sums(batches) == second
    # Nothing was taken: it has not begun.
    batches.set_epoch(0)
    unbegun = iter(batches)
    assert sums(batches) == first
    with pytest.raises(StopIteration):
        for _ in range(9):
            next(unbegun)


def test_next_gives_the_batches_of_epochs_and_none_between_them(
    loader: shardine.Loader,
) -> None:
    batches = shardine.torch.CudaPrefetcher(loader, device="cpu")
    expected = []
    for _ in range(2):
        expected.append([images.sum().item() for images, _ in batches])
    batches.set_epoch(0)
    for epoch in expected:
        taken = []
        images, labels = batches.next()
        while images is not None:
            assert len(images) == len(labels)
            taken.append(images.sum().item())
            images, labels = batches.next()
        assert labels is None
        assert taken == epoch
    assert batches.next()[0] is not None
    batches.close()
    # The iteration starts over.
    assert batches.next()[0] is not None
    batches.close()


def test_what_goes_on_with_an_iteration_that_is_over_is_told_so(
    loader: shardine.Loader,
) -> None:
    batches = prefetch(loader)
    old = iter(batches)
    next(old)
    new = iter(batches)
    next(new)
    with pytest.raises(RuntimeError, match="iteration is over"):
        next(old)
    assert len(sums(new)) == len(batches) - 1
    assert repr(batches) == (
        f"<shardine.CudaPrefetcher to cpu, 2 batches in advance, of {loader!r}>"
    )


def test_threads_end_with_the_iteration(loader: shardine.Loader) -> None:
    def threads() -> int:
        return sum(thread.name == "prefetcher" for thread in threading.enumerate())

    batches = prefetch(loader)
    iterator = iter(batches)
    next(iterator)
    assert threads() == 1
    del iterator
    gc.collect()
    assert threads() == 0
    sums(batches)
    assert threads() == 0
    kept = iter(batches)
    next(kept)
    batches.close()
    assert threads() == 0


def printed_by(script: str, *arguments: object) -> str:
    """The output of a program that must end well, and soon."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_program_that_ends_in_an_epoch_ends(packed: pathlib.Path) -> None:  # noqa: F811
    script = (
        "import sys, shardine, shardine.torch\n"
        "loader = shardine.TrainLoader(sys.argv[1], batch_size=2)\n"
        "batches = iter(shardine.torch.CudaPrefetcher(loader, device='cpu'))\n"
        "print(next(batches)[0].shape)\n"
    )
    assert printed_by(script, packed) == "torch.Size([2, 3, 224, 224])\n"


def test_a_thread_trains_on_after_the_main_one_has_ended(
    packed: pathlib.Path,  # noqa: F811
) -> None:
    script = (
        "import sys, threading, time, shardine, shardine.torch\n"
        "def train():\n"
        "    for images, labels in batches:\n"
        "        begun.set()\n"
        "        threading.main_thread().join()\n"
        "        time.sleep(0.1)\n"
        "        print(len(labels))\n"
        "loader = shardine.TrainLoader(sys.argv[1], batch_size=4)\n"
        "batches = shardine.torch.CudaPrefetcher(loader, device='cpu', depth=1)\n"
        "begun = threading.Event()\n"
        "threading.Thread(target=train).start()\n"
        "begun.wait()\n"
    )
    assert printed_by(script, packed) == "4\n" * 6


def test_whoever_waits_for_a_batch_is_told_that_it_was_closed(
    packed: pathlib.Path,  # noqa: F811
) -> None:
    asked = threading.Event()

    def slow(batch: Any) -> Any:
        asked.set()
        time.sleep(0.3)
        return batch

    batches = prefetch(load(packed, callback=slow))
    failures: list[str] = []

    def consume() -> None:
        try:
            sums(batches)
        except RuntimeError as error:
            failures.append(str(error))

    consumer = threading.Thread(target=consume, daemon=True)
    consumer.start()
    assert asked.wait(60)
    batches.close()
    consumer.join(60)
    assert not consumer.is_alive()
    assert failures and "this iteration is over" in failures[0]
    assert len(sums(batches)) == len(batches)


def test_a_process_forked_off_is_told_whose_iteration_it_has(
    loader: shardine.Loader,
) -> None:
    batches = prefetch(loader)
    iterator = iter(batches)
    next(iterator)
    child = os.fork()
    if child == 0:
        try:
            next(iterator)
        except RuntimeError as error:
            batches.close()  # neither waits for a thread that is not here
            os._exit(0 if "is of another process" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(sums(iterator)) == len(batches) - 1


@pytest.mark.parametrize("made", [None, 3, (1,), (1, 2, 3), "four"])
def test_what_a_callback_returns_is_said_to_be_no_batch(
    packed: pathlib.Path, made: Any  # noqa: F811
) -> None:
    loader = load(packed, callback=lambda batch: made)
    with pytest.raises(TypeError, match=f"callback= returns, are .*{type(made).__name__}"):
        next(iter(prefetch(loader)))


def test_a_failure_is_raised_where_the_batch_is_taken(
    packed: pathlib.Path, tmp_path: pathlib.Path  # noqa: F811
) -> None:
    loader = load(packed)
    whole = len(sums(prefetch(loader)))
    loader.close()
    with pytest.raises(ValueError, match="closed"):
        next(iter(prefetch(loader)))
    assert whole == 6
    floats = load(packed, dtype="float32")
    with pytest.raises(TypeError, match="torch.float32 of .* not uint8"):
        next(iter(prefetch(floats)))
    stored = load(packed, transform=None, raw=True)
    with pytest.raises(TypeError, match="not pixels and labels"):
        next(iter(prefetch(stored)))


def test_a_slow_consumer_s_batches_stay_what_they_were(loader: shardine.Loader) -> None:
    expected = sums(prefetch_epoch(loader, 0))
    held = []
    for batch in prefetch_epoch(loader, 0):
        time.sleep(0.02)
        held.append(batch)
    assert sums(held) == expected


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"depth": 0}, ValueError, "depth: 0 is not in 1 to 4"),
        ({"prefetch": 2}, TypeError, "prefetch; it is depth here"),
        ({"dtype": torch.int8}, ValueError, "int8 is none of"),
        ({"normalize": "cifar"}, ValueError, '"cifar" is not imagenet'),
        ({"normalize": (MEAN, STD)}, ValueError, "are mean= and std="),
        ({"normalize": "imagenet", "mean": MEAN}, ValueError, "either normalize="),
        ({"mean": (0.485, 0.456, 0.406)}, ValueError, "mean: .* values from 0 to 1"),
        ({"std": (0.229, 0.224, 0.225)}, ValueError, "normalize=.mean, std. takes it"),
        ({"mean": (123.0, float("nan"), 103.0)}, ValueError, "mean: .* is not finite"),
        ({"mean": (float("inf"),) * 3}, ValueError, "mean: .* is not finite"),
        ({"std": (0, 57, 57)}, ValueError, "std: .* is not above 0"),
        ({"std": (58, -57, 57)}, ValueError, "std: .* is not above 0"),
        ({"std": (58, 57, float("nan"))}, ValueError, "std: .* is not finite"),
        ({"channels_last": "no"}, TypeError, "channels_last: 'no' is neither True"),
        ({"device": "meta"}, ValueError, "neither of CUDA nor the CPU"),
        ({"device": "gpu"}, ValueError, "device: 'gpu' is no device of torch"),
        pytest.param(
            {"device": "cuda"},
            ValueError,
            "device: cuda: torch finds no CUDA device here",
            marks=pytest.mark.skipif(
                torch.cuda.is_available(), reason="NOT TESTED: there is CUDA here"
            ),
        ),
    ],
)
def test_wrong_options_are_refused(
    loader: shardine.Loader, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        prefetch(loader, **options)


def test_accuracy_counts_every_sample_once(packed: pathlib.Path) -> None:  # noqa: F811
    accuracy = shardine.torch.Accuracy(topk=(1, 2))
    right = {1: 0, 2: 0}
    generator = torch.Generator().manual_seed(5)
    for batch in shardine.EvalLoader(packed, batch_size=7, arrays="torch"):
        outputs = torch.rand(len(batch), 4, generator=generator)
        accuracy.add(outputs, batch.labels)
        for row, label in zip(outputs.tolist(), batch.labels.tolist()):
            rank = sorted(row, reverse=True).index(row[label])
            right[1] += rank < 1
            right[2] += rank < 2
    accuracy.add(torch.empty(0, 4), torch.empty(0, dtype=torch.int64))
    assert accuracy.compute() == {
        "samples": 24,
        "top1": right[1] / 24,
        "top2": right[2] / 24,
    }
    accuracy.reset()
    with pytest.raises(ValueError, match="nothing was counted"):
        accuracy.compute()


def test_accuracy_refuses_what_does_not_fit() -> None:
    accuracy = shardine.torch.Accuracy(topk=(1, 5))
    with pytest.raises(ValueError, match="5 of 3 classes"):
        accuracy.add(torch.rand(2, 3), torch.tensor([0, 1]))
    with pytest.raises(ValueError, match="are not samples x classes"):
        accuracy.add(torch.rand(2, 5), torch.tensor([0]))
    for topk in ((), (0,), (5, 1), (1, 1)):
        with pytest.raises(ValueError, match="topk"):
            shardine.torch.Accuracy(topk)
    with pytest.raises(TypeError, match="outputs and labels: .*ndarray.* are not tensors"):
        accuracy.add(numpy.zeros((2, 5)), torch.tensor([0, 1]))
    assert repr(accuracy) == "<shardine.Accuracy of topk=(1, 5)>"
    with pytest.raises(TypeError, match="topk: 5 is no list of numbers"):
        shardine.torch.Accuracy(5)  # type: ignore[arg-type]
