"""Augmentation policies and torchvision's, given the same draws: the same tables, the
same pixels."""

from typing import Any, Dict, List, Literal, Tuple

import pytest
import torch
from test_against_torchvision import MODES, SEED, Source, pixels, sources  # noqa: F401
from torchvision.transforms import v2

import shardine

# The kernels of these are one level off at most; all others are equal.
ONE_LEVEL = {"Color", "Contrast", "Sharpness"}
Tables = Dict[str, Tuple[Any, bool]]

TABLES: Tuple[Literal["imagenet", "cifar10", "svhn"], ...] = (
    "imagenet",
    "cifar10",
    "svhn",
)
POLICIES = [
    (shardine.TrivialAugmentWide(), v2.TrivialAugmentWide()),
    (
        shardine.TrivialAugmentWide(fill=(9, 100, 200)),
        v2.TrivialAugmentWide(fill=[9.0, 100.0, 200.0]),
    ),
    (shardine.RandAugment(), v2.RandAugment()),
    (shardine.RandAugment(1, 25), v2.RandAugment(1, 25)),
    (shardine.RandAugment(4, 5, 8), v2.RandAugment(4, 5, 8)),
    *(
        (shardine.AutoAugment(table), v2.AutoAugment(v2.AutoAugmentPolicy(table)))
        for table in TABLES
    ),
]


def applied(theirs: Any, image: torch.Tensor, drawn: List[Tuple[str, float]]) -> Any:
    for name, magnitude in drawn:
        image = theirs._apply_image_or_video_transform(
            image, name, magnitude, theirs.interpolation, theirs.fill
        )
    return image


@pytest.mark.parametrize("ours, theirs", POLICIES, ids=lambda v: repr(v)[:40])
def test_pixels(
    sources: List[Source],  # noqa: F811
    ours: Any,
    theirs: Any,
) -> None:
    off = total = 0
    for source in sources:
        for (sample, before), (_, after) in zip(pixels(source), pixels(source, ours)):
            drawn = ours.drawn(sample, before.shape[1:], seed=SEED)
            away = (after.int() - applied(theirs, before, drawn).int()).abs()
            inexact = sum(name in ONE_LEVEL for name, _ in drawn)
            if not inexact:
                assert away.max() == 0, drawn
            elif len(drawn) == 1:
                assert away.max() <= 1, drawn
            # A level may decide the next operation's effect.
            off += int((away > 0).sum())
            total += away.numel()
    print(ours, off, "of", total)
    assert off < total / 500


def test_bilinear_pixels(sources: List[Source]) -> None:  # noqa: F811
    ours = shardine.TrivialAugmentWide(interpolation="bilinear", fill=7)
    theirs = v2.TrivialAugmentWide(interpolation=MODES["bilinear"], fill=7)
    for (sample, before), (_, after) in zip(
        pixels(sources[0]), pixels(sources[0], ours)
    ):
        drawn = ours.drawn(sample, before.shape[1:], seed=SEED)
        away = (after.int() - applied(theirs, before, drawn).int()).abs()
        assert away.max() <= 1, drawn


def close(magnitude: float, known: float) -> bool:
    """torch's own last bit is its processor's."""
    return abs(magnitude - known) <= 2e-7 * abs(known) + 1e-7


@pytest.mark.parametrize(
    "bins, height, width", [(31, 224, 224), (10, 32, 48), (2, 7, 1)]
)
def test_magnitudes_are_those_of_the_tables(bins: int, height: int, width: int) -> None:
    def check(tables: Tables, number: Any, drawn: List[Tuple[str, float]]) -> None:
        for name, magnitude in drawn:
            make, signed = tables[name]
            known = make(bins, height, width)
            if known is None:
                assert magnitude == 0
                continue
            least = -1 if signed else 0
            values = known.tolist() if number is None else [known[number].item()]
            assert any(
                close(magnitude, sign * value)
                for value in values
                for sign in (1, least)
            ), (name, magnitude)

    seen = set()
    for sample in range(2000):
        size = (height, width)
        wide = shardine.TrivialAugmentWide(bins).drawn(sample, size)
        check(v2.TrivialAugmentWide._AUGMENTATION_SPACE, None, wide)
        for magnitude in {0, bins // 3, bins - 1}:
            some = shardine.RandAugment(2, magnitude, bins).drawn(sample, size)
            check(v2.RandAugment._AUGMENTATION_SPACE, magnitude, some)
            seen |= {name for name, _ in some}
    assert seen == set(v2.RandAugment._AUGMENTATION_SPACE)


@pytest.mark.parametrize("table", TABLES)
def test_pairs_are_those_of_the_tables(table: Any) -> None:
    theirs = v2.AutoAugment(v2.AutoAugmentPolicy(table))
    size = (32, 48)

    def known(name: str, number: Any) -> Tuple[str, float]:
        values = theirs._AUGMENTATION_SPACE[name][0](10, *size)
        return name, 0.0 if values is None else float(values[number])

    pairs = [
        [(*known(name, number), chance) for name, chance, number in pair]
        for pair in theirs._policies
    ]
    expected: Dict[Tuple[str, ...], float] = {}
    halves: Tuple[Tuple[Tuple[str, ...], float], ...]
    for (name, _, first), (other, _, second) in pairs:
        halves = (
            ((), (1 - first) * (1 - second)),
            ((name,), first * (1 - second)),
            ((other,), (1 - first) * second),
            ((name, other), first * second),
        )
        for names, chance in halves:
            expected[names] = expected.get(names, 0) + chance / len(pairs)
    seen: Dict[Tuple[str, ...], int] = {}
    samples = 20_000
    for sample in range(samples):
        drawn = shardine.AutoAugment(table).drawn(sample, size)
        for name, magnitude in drawn:
            assert any(
                name == part[0] and close(abs(magnitude), part[1])
                for pair in pairs
                for part in pair
            )
        done = tuple(name for name, _ in drawn)
        seen[done] = seen.get(done, 0) + 1
    for done in seen.keys() | expected.keys():
        chance = expected[done]
        away = abs(seen.get(done, 0) / samples - chance)
        assert away < 5 * (chance * (1 - chance) / samples) ** 0.5 + 1e-9, done
