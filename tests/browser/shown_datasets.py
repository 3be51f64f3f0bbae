"""Datasets that pages show, and the browser."""

import io
import pathlib
from collections.abc import Iterator

import numpy
import PIL.Image
import pytest
from playwright.sync_api import Browser
from visits import chromium

import shardine

PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
SCRIPT = "</script><script>window.hacked = 1; alert(1)</script>"
HOSTILE = [
    f"{SCRIPT}<img src=x onerror='window.hacked = 2'>",
    "\u202etxt.exe \u2066 rtl",
    "{{json}} '\"&amp; \x1b[2J",
    "<" * 65535,
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def _photo(seed: int) -> bytes:
    to = io.BytesIO()
    pixels = numpy.random.default_rng(seed).integers(0, 255, (6, 8, 3), numpy.uint8)
    PIL.Image.fromarray(pixels).resize((64, 48)).save(to, "jpeg", quality=30)
    return to.getvalue()


@pytest.fixture(scope="session")
def leaking(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Photos of which the splits share some, some under another label."""
    folder = tmp_path_factory.mktemp("leaking") / "out"
    paths = sorted(PHOTOS.glob("*/*"))
    classes = sorted({path.parent.name for path in paths})
    with shardine.Writer(folder, classes=classes) as writer:
        for i, path in enumerate(paths):
            label = classes.index(path.parent.name)
            image = path.read_bytes()
            for split in ("train", "val") if i % 4 == 0 else ("train",):
                writer.write(
                    {
                        "image": image,
                        "label": (label + (split == "val" and i % 8 == 0)) % len(classes),
                    },
                    key=f"{split}/{path.parent.name}/{path.name}",
                    split=split,
                )
    return folder


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Keys, classes and texts that would be scripts, if they were no text."""
    folder = tmp_path_factory.mktemp("hostile") / "out"
    with shardine.Writer(folder, format="tfrecord", classes=HOSTILE) as writer:
        for i, text in enumerate(HOSTILE):
            for split in ("train", "val"):
                writer.write(
                    {"image": _photo(i), "label": i, "note": text}, key=text, split=split
                )
    return folder


@pytest.fixture(scope="session")
def many_classes(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """21,841 classes, as ImageNet-21k has them, of one sample each."""
    folder = tmp_path_factory.mktemp("many") / "out"
    photos = [_photo(seed) for seed in range(50)]
    classes = [f"n{label:08}" for label in range(21841)]
    with shardine.Writer(folder, classes=classes) as writer:
        for label, name in enumerate(classes):
            writer.write(
                {"image": photos[label % 50], "label": label},
                key=f"{name}/{name}_{label}.JPEG",
                split="val" if label % 10 == 0 else "train",
            )
    return folder
