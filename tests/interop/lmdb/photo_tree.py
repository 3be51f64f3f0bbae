"""A tree of photos as torchvision's ImageFolder has it."""

import pathlib


def photo_tree(photos: pathlib.Path) -> tuple[list[str], list[tuple[bytes, int]]]:
    """The classes by name, and the files with their labels: classes by name, then
    files by name."""
    classes = sorted(path.name for path in photos.iterdir())
    return classes, [(path.read_bytes(), label)
                     for label, name in enumerate(classes)
                     for path in sorted((photos / name).iterdir())]
