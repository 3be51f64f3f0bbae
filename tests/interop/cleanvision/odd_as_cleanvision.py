"""CleanVision and `shardine audit --odd --near` look at the same photos, and at edits
of them that cross each threshold: the overlap for each of CleanVision's nine kinds, as
the table in tests/README.md has it.

Usage: odd_as_cleanvision.py BINARY PHOTOS
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Callable, Dict, Set

import cleanvision
from PIL import Image, ImageEnhance, ImageFilter, ImageOps

MOST = 150  # photos
EDITED = 12  # photos that are edited
Edit = Callable[[Image.Image], Image.Image]


def dimmed(factor: float) -> Edit:
    return lambda image: ImageEnhance.Brightness(image).enhance(factor)


def faded(share: float) -> Edit:
    """So much of white."""
    return lambda image: Image.blend(image, Image.new("RGB", image.size, "white"), share)


def blurred(share: float) -> Edit:
    """By that share of the long side."""
    return lambda image: image.filter(ImageFilter.GaussianBlur(max(image.size) * share))


def scaled(factor: float) -> Edit:
    return lambda image: image.resize(
        (round(image.width * factor), round(image.height * factor)))


def strip(share: float) -> Edit:
    return lambda image: image.crop((0, 0, image.width, round(image.width * share)))


def posterized(bits: int) -> Edit:
    return lambda image: ImageOps.posterize(image, bits)


EDITS: Dict[str, Edit] = {
    **{f"dim{each}": dimmed(each) for each in (0.15, 0.25, 0.3, 0.35, 0.5)},
    **{f"fade{each}": faded(each) for each in (0.8, 0.9, 0.94, 0.97)},
    **{f"blur{each}": blurred(each) for each in (0.01, 0.02, 0.04, 0.08)},
    **{f"bits{each}": posterized(each) for each in (1, 2)},
    **{f"strip{each}": strip(each) for each in (0.3, 0.34, 0.36)},
    **{f"scale{each}": scaled(each) for each in (0.1, 3)},
    "gray": ImageOps.grayscale,
}  # fmt: skip

# The least share of CleanVision's images that are named here, and of those named here
# that CleanVision has.
BOUNDS = {
    "dark": (0.95, 0.95),
    "light": (0.90, 0.90),
    "odd_aspect_ratio": (1.0, 1.0),
    "low_information": (0.90, 0.80),
    "blurry": (0.93, 0.93),
    "grayscale": (1.0, 1.0),
    "odd_size": (1.0, 1.0),
    # A JPEG and a PNG of its pixels are called near.
    "exact_duplicates": (0.6, 1.0),
    "near_duplicates": (0.9, 0.0),  # its hash of 64 bits misses most edits
}


def make_tree(photos: pathlib.Path, tree: pathlib.Path) -> None:
    paths = []
    for path in sorted(photos.glob("*/*")):
        with Image.open(path) as image:
            if image.format == "JPEG" and image.mode in ("RGB", "L"):
                paths.append(path)
    paths = paths[:: max(1, len(paths) // MOST)][:MOST]
    for i, path in enumerate(paths):
        shutil.copy(path, tree / f"{i}.jpg")
    for i, path in enumerate(paths[:: max(1, len(paths) // EDITED)][:EDITED]):
        whole = Image.open(path).convert("RGB")
        for name, edit in EDITS.items():
            edited = edit(whole)
            if i % 2:  # as its pixels are, and encoded again
                edited.save(tree / f"{i}-{name}.png")
            else:
                edited.save(tree / f"{i}-{name}.jpg", quality=90)
        whole.save(tree / f"{i}-same.png")
        shutil.copy(tree / f"{i}-same.png", tree / f"{i}-copy.png")


def theirs(tree: pathlib.Path) -> Dict[str, Set[str]]:
    lab = cleanvision.Imagelab(data_path=str(tree))
    with contextlib.redirect_stderr(io.StringIO()):  # bars of progress
        lab.find_issues(n_jobs=1, verbose=False)
    return {
        kind: {pathlib.Path(each).name
               for each in lab.issues.index[lab.issues[f"is_{kind}_issue"]]}
        for kind in BOUNDS
    }


def ours(binary: str, tree: pathlib.Path) -> Dict[str, Set[str]]:
    done = subprocess.run([binary, "audit", tree, "--odd", "--near"],
                          check=True, capture_output=True, text=True)
    found: Dict[str, Set[str]] = {kind: set() for kind in BOUNDS}
    for line in done.stdout.splitlines():
        findings, *fields = line.split("\t")
        keys = set(fields[1::3])
        for word in findings.split(",") if keys else ():
            if word in found:
                found[word] |= keys
        if len(keys) > 1:
            is_near = findings.endswith(",near")
            found["near_duplicates" if is_near else "exact_duplicates"] |= keys
    return found


def main() -> None:
    binary, photos = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        make_tree(photos, tree)
        count = len(list(tree.iterdir()))
        other, own = theirs(tree), ours(binary, tree)
    print(f"{count} images; kind: CleanVision, shardine, both")
    missed = []
    if not other["exact_duplicates"] <= own["exact_duplicates"] | own["near_duplicates"]:
        missed.append("exact_duplicates that are not even near")
    for kind, (least, precise) in BOUNDS.items():
        both = other[kind] & own[kind]
        print(f"{kind:17} {len(other[kind]):4} {len(own[kind]):4} {len(both):4}")
        for name, found in (("theirs", other[kind] - both), ("ours", own[kind] - both)):
            if found and kind != "near_duplicates":
                print(f"  {name} alone: {', '.join(sorted(found))}")
        if len(both) < least * len(other[kind]) or len(both) < precise * len(own[kind]):
            missed.append(kind)
        if not other[kind]:
            missed.append(f"{kind}: no image")
    if missed:
        sys.exit(f"too little in common: {missed}")


if __name__ == "__main__":
    main()
