"""Every public callable, called with arguments that it does not take."""

import inspect
import pathlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import shardine

FOREIGN = (
    "incompatible function arguments",
    "The following argument types are supported",
)


class Odd:
    """Nothing that any argument can be."""

    def __repr__(self) -> str:
        return "<odd>"


def made(packed: pathlib.Path, out: pathlib.Path) -> Iterator[object]:
    """One of each class that has methods."""
    dataset = shardine.Dataset(packed)
    crop = shardine.Resize(8)
    loader = shardine.Loader(dataset, batch_size=5, transform=crop)
    yield from (dataset, dataset[3], dataset[1:3], loader, next(iter(loader)))
    yield from (loader.stats(), loader.stats().stages[0])
    yield shardine.PhasedLoader([shardine.Phase(0, dataset, crop, 5)])
    yield shardine.Writer(out)
    yield shardine.info(packed)


def callables(packed: pathlib.Path, out: pathlib.Path) -> dict[str, Any]:
    found = {name: getattr(shardine, name) for name in shardine.__all__}
    for thing in made(packed, out):
        for name, _ in inspect.getmembers(type(thing), callable):
            if not name.startswith("_") or name in ("__getitem__", "__init__"):
                found[f"{type(thing).__name__}.{name}"] = getattr(thing, name)
    return {name: each for name, each in found.items() if callable(each)}


def wrong_calls(call: Callable[..., Any]) -> Iterator[Callable[[], object]]:
    yield lambda: call(nonsense=1)
    yield lambda: call(Odd())
    yield lambda: call(Odd(), Odd())
    yield lambda: call(Odd(), Odd(), Odd(), Odd(), Odd(), Odd())
    try:
        parameters = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return
    for name in parameters:
        yield lambda name=name: call(**{name: Odd()})


def test_no_message_is_of_the_binding(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    refused = 0
    every = callables(packed, tmp_path / "out")
    for name, call in every.items():
        for wrong in wrong_calls(call):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    wrong()
                except Exception as error:
                    refused += 1
                    for foreign in FOREIGN:
                        assert foreign not in str(error), f"{name}: {error}"
    assert len(every) > 80 and refused > 300, (len(every), refused)


@pytest.mark.parametrize(
    "call, meant",
    [
        (lambda d: shardine.Dataset(d, shuffle=True), "Loader(order=...)"),
        (lambda d: shardine.Dataset(d, drop_last=True), "Loader(last_batch=...)"),
        (lambda d: shardine.Dataset(d, num_workers=2), "Loader(threads=...)"),
        (lambda d: shardine.Loader(d, batch_size=2, shuffle=True), 'order="shuffle"'),
        (lambda d: shardine.PhasedLoader([], num_workers=2), "threads"),
        (lambda d: shardine.PhasedLoader([], shuffle=True), 'order="shuffle"'),
        (lambda d: shardine.PhasedLoader([], drop_last=True), 'last_batch="drop"'),
        (lambda d: shardine.Writer(d, num_workers=2), "threads"),
        (lambda d: shardine.Writer(d, shuffle=True), "close(reshuffle=SEED)"),
        (lambda d: shardine.Resize(8, interpolation=2), "Loader(filter=...)"),
        (lambda d: shardine.RandomResizedCrop(8, p=0.5), "flip"),
        (lambda d: shardine.CenterCrop(8, num_workers=2), "Loader(threads=...)"),
        (lambda d: shardine.pack(d, d, num_workers=2), "jobs"),
        (lambda d: shardine.convert(d, d, shuffle=True), "reshuffle"),
        (lambda d: shardine.verify(d, threads=2), "jobs"),
    ],
)
def test_words_of_elsewhere_are_answered_with_ours(
    packed: pathlib.Path, call: Callable[[pathlib.Path], object], meant: str
) -> None:
    with pytest.raises(TypeError) as caught:
        call(packed)
    said = str(caught.value)
    assert "unknown option" in said and "; it is " in said and meant in said
