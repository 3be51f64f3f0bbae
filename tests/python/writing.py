"""Samples that tests of Writer write, and ways to look at them."""

import pathlib
import subprocess
from typing import Any

from conftest import PHOTOS, SHARDINE

import shardine


def photos() -> list[tuple[str, int, pathlib.Path]]:
    """Key, label and file of each, in the order in which pack numbers them."""
    classes = sorted(each.name for each in PHOTOS.iterdir() if each.is_dir())
    return [
        (f"{name}/{file.name}", label, file)
        for label, name in enumerate(classes)
        for file in sorted((PHOTOS / name).iterdir())
    ]


def class_names() -> list[str]:
    return sorted(each.name for each in PHOTOS.iterdir() if each.is_dir())


def verify(folder: pathlib.Path) -> None:
    subprocess.run(
        [SHARDINE, "verify", str(folder)], check=True, capture_output=True
    )


def written(folder: pathlib.Path, *samples: dict[str, Any], **options: Any) -> Any:
    with shardine.Writer(folder, **{"format": "tfrecord", **options}) as writer:
        for sample in samples:
            writer.write(sample)
    verify(folder)
    return shardine.Dataset(folder)


def write_photos(writer: shardine.Writer) -> None:
    for key, label, file in photos():
        writer.write({"image": file, "label": label}, key=key)
