"""MixUp and CutMix beside torchvision's formulas, in torch. torchvision has the two
from 0.16 on, which asks for a newer torch than Debian's: the formulas are copied from
its transforms/v2/_augment.py, given the same draws. A second reading of
shardine/mixing.h makes the draws here, to check its description of them."""

import math
from typing import Any, Tuple

import numpy
import pytest
import torch
from test_against_torchvision import SEED, Draws, Source, sources  # noqa: F401

import shardine

FIRST = 2**24 - 256


def drawn_beta(draws: Draws, alpha: float) -> float:
    first, second, _, _ = draws.words(1, FIRST)
    c = math.cos(2 * math.pi * (second / 2**32))
    power = min(-math.log(first / 2**32 + 2**-33) / alpha, 700.0)
    q = (math.exp(power) - 1) * c**2
    ratio = 0.5 + math.copysign(math.sqrt(q / (1 + q)) / 2, c)
    return float(numpy.float32(ratio))


def drawn_box(draws: Draws, ratio: float, width: int, height: int) -> Tuple[int, ...]:
    """torchvision's x1, y1, x2, y2."""
    words = draws.words(2, FIRST)
    x, y = words[0] * width >> 32, words[1] * height >> 32
    r = 0.5 * math.sqrt(1.0 - ratio)
    half_width, half_height = int(r * width), int(r * height)
    return (max(x - half_width, 0), max(y - half_height, 0),
            min(x + half_width, width), min(y + half_height, height))


def mixed_up(images: torch.Tensor, ratio: float) -> torch.Tensor:
    return images.roll(1, 0).mul_(1.0 - ratio).add_(images.mul(ratio))


def loader(source: Source, **options: Any) -> shardine.Loader:
    path, size = source
    usual: dict[str, Any] = {
        "batch_size": 13, "last_batch": "short", "seed": SEED, "one_hot": 4,
        "layout": "nchw", "transform": shardine.CenterCrop(size, resize=0),
        "dtype": "float32", "normalize": "imagenet",
    }
    return shardine.Loader(path, **(usual | options))


@pytest.mark.parametrize("alpha", [0.1, 0.2, 1.0, 3.0])
def test_mixup_of_floats_is_torchvision_s_bit_for_bit(
    sources: list[Source], alpha: float  # noqa: F811
) -> None:
    for source in sources:
        mix = shardine.MixUp(alpha)
        for batch, plain in zip(loader(source, mix=mix), loader(source), strict=True):
            ratio = drawn_beta(Draws(int(batch.ids[0])), alpha)
            assert batch.mix is not None
            # Its logarithm is not libm's: their last bits may differ.
            weight = float(batch.mix.weight[0])
            assert abs(weight - ratio) <= 2**-24
            images, targets = map(torch.from_numpy, (plain.images, plain.targets))
            assert torch.equal(torch.from_numpy(batch.images), mixed_up(images, weight))
            assert torch.equal(torch.from_numpy(batch.targets), mixed_up(targets, weight))


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float16"])
def test_cutmix_is_torchvision_s_bit_for_bit(
    sources: list[Source], dtype: str  # noqa: F811
) -> None:
    options: dict[str, Any] = {"dtype": dtype}
    if dtype == "uint8":
        options["normalize"] = None
    for source in sources:
        made = loader(source, mix=shardine.CutMix(0.7), **options)
        for batch, plain in zip(made, loader(source, **options), strict=True):
            height, width = batch.images.shape[2:]
            draws = Draws(int(batch.ids[0]))
            x1, y1, x2, y2 = drawn_box(draws, drawn_beta(draws, 0.7), width, height)
            images = torch.from_numpy(plain.images)
            expected = images.clone()
            expected[..., y1:y2, x1:x2] = images.roll(1, 0)[..., y1:y2, x1:x2]
            assert torch.equal(torch.from_numpy(batch.images), expected)
            ratio = 1.0 - (x2 - x1) * (y2 - y1) / (width * height)
            targets = mixed_up(torch.from_numpy(plain.targets), ratio)
            # torchvision's ratio is a double, ours a float.
            torch.testing.assert_close(
                torch.from_numpy(batch.targets), targets, rtol=0, atol=2**-23)


def test_mixup_of_bytes_is_the_nearest_level(
    sources: list[Source]  # noqa: F811
) -> None:
    options: dict[str, Any] = {"dtype": "uint8", "normalize": None}
    for source in sources:
        made = loader(source, mix=shardine.MixUp(1.0), mix_per="sample", **options)
        for batch, plain in zip(made, loader(source, **options), strict=True):
            assert batch.mix is not None
            images = torch.from_numpy(plain.images)
            weight = torch.from_numpy(batch.mix.weight).view(-1, 1, 1, 1)
            # timm's blend of FastCollateMixup.
            blend = images.float() * weight + images.roll(1, 0).float() * (1 - weight)
            got = torch.from_numpy(batch.images)
            assert torch.equal(got, blend.round().to(torch.uint8))
            exact = (images.double() * weight.double()
                     + images.roll(1, 0).double() * (1 - weight.double()))
            assert (got.double() - exact).abs().max() <= 0.5 + 1e-4
