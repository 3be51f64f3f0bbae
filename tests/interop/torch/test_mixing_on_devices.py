"""Batches that a loader leaves unmixed, mixed by torch; and CudaPrefetcher's batches."""

import pathlib
from typing import Any

import numpy
import pytest
import torch
from test_prefetcher import ON_CUDA, prefetch
from test_torch import load, packed  # noqa: F401  # the fixture

import shardine
import shardine.torch

BOTH = [shardine.MixUp(0.4), shardine.CutMix()]


@pytest.mark.parametrize("per", ["batch", "sample"])
@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("device", ["cpu", ON_CUDA])
def test_images_are_those_that_the_loader_mixes(
    packed: pathlib.Path, per: Any, channels_last: bool, device: str  # noqa: F811
) -> None:
    options: dict[str, Any] = {"mix": BOTH, "mix_per": per, "one_hot": 4,
                               "last_batch": "short", "batch_size": 5}
    loader = load(packed, mix_apply=False, **options)
    expected = load(packed, layout="nchw", dtype="float32", normalize="imagenet", **options)
    batches = prefetch(loader, normalize="imagenet", channels_last=channels_last,
                       device=device)
    memory = torch.channels_last if channels_last else torch.contiguous_format
    for (images, targets, mix), batch in zip(batches, expected, strict=True):
        assert all(each.device.type == device for each in (targets, *mix))
        mixed = shardine.torch.mixed(images, mix)
        assert mixed.is_contiguous(memory_format=memory)
        assert mixed.device == images.device and mixed.dtype == torch.float32
        if device == "cpu":
            assert torch.equal(mixed, torch.from_numpy(batch.images))
        numpy.testing.assert_allclose(mixed.cpu(), batch.images, rtol=0, atol=1e-5)
        assert torch.equal(targets.cpu(), torch.from_numpy(batch.targets))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_type_is_the_rounded_value_of_float32(
    packed: pathlib.Path, dtype: torch.dtype  # noqa: F811
) -> None:
    batches = prefetch(load(packed, mix=shardine.MixUp(), mix_apply=False),
                       normalize="imagenet", dtype=dtype)
    for images, _, mix in batches:
        weight = mix.weight.view(-1, 1, 1, 1)
        expected = images.float().roll(1, 0) * (1 - weight) + images.float() * weight
        assert torch.equal(shardine.torch.mixed(images, mix), expected.to(dtype))


@pytest.mark.parametrize("arrays", ["numpy", "torch"])
def test_pairs_and_rows_are_handed_on(
    packed: pathlib.Path, arrays: Any  # noqa: F811
) -> None:
    loader = load(packed, mix=BOTH, arrays=arrays)
    again = load(packed, mix=BOTH)
    for (images, targets), batch in zip(prefetch(loader), again, strict=True):
        assert batch.mixed_labels is not None
        assert isinstance(targets, shardine.MixedLabels)
        for tensor, array in zip(targets, batch.mixed_labels, strict=True):
            assert isinstance(tensor, torch.Tensor)
            assert tensor.tolist() == array.tolist()
        assert torch.equal(images.to(torch.uint8), torch.from_numpy(batch.images))
        loss = torch.nn.functional.cross_entropy
        out = torch.randn(len(images), 4)
        pairs = (targets.weight * loss(out, targets.labels, reduction="none")
                 + (1 - targets.weight) * loss(out, targets.partners, reduction="none"))
        rows = next(iter(load(packed, mix=BOTH, one_hot=4, arrays="torch"))).targets
        if batch.ids.tolist() == next(iter(load(packed))).ids.tolist():
            torch.testing.assert_close(pairs.mean(), loss(out, rows))


def test_what_cannot_be_mixed_is_refused(packed: pathlib.Path) -> None:  # noqa: F811
    images, _, mix = next(iter(load(packed, mix=BOTH, mix_apply=False, arrays="torch")))
    with pytest.raises(TypeError, match="images: torch.uint8 of .* are not floats"):
        shardine.torch.mixed(images, mix)
    with pytest.raises(ValueError, match="mix: of 4 samples, images of 3"):
        shardine.torch.mixed(images[:3].float(), mix)
    three = load(packed, callback=lambda batch: (batch.images, batch.labels, batch.ids))
    with pytest.raises(TypeError, match="not .images, targets. or"):
        next(iter(prefetch(three)))
