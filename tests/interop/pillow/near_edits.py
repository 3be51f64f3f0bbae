"""Photos that were edited by Pillow are near copies of the originals, and no two
photos are: recall by edit, as the table in tests/README.md has it.

Usage: near_edits.py BINARY PHOTOS VERSION
"""

from __future__ import annotations

import io
import pathlib
import sys
import tempfile
from typing import Callable

import PIL
from PIL import Image, ImageDraw, ImageEnhance, ImageFont, ImageOps

from audit_lines import audit

MOST = 150  # photos that are edited
Edit = Callable[[Image.Image], Image.Image]


def encoded(quality: int) -> Edit:
    def edit(image: Image.Image) -> Image.Image:
        saved = io.BytesIO()
        image.save(saved, "JPEG", quality=quality)
        saved.seek(0)
        return Image.open(saved)
    return edit


def cropped(share: float) -> Edit:
    """So much of each side is gone."""
    def edit(image: Image.Image) -> Image.Image:
        x, y = round(image.width * share), round(image.height * share)
        return image.crop((x, y, image.width - x, image.height - y))
    return edit


def written_on(image: Image.Image) -> Image.Image:
    image = image.copy()
    font = ImageFont.load_default(max(8, image.height // 12))
    ImageDraw.Draw(image).text((image.width // 10, image.height // 2),
                               "A line of text", font=font, fill=(255, 255, 255))
    return image


def captioned(image: Image.Image) -> Image.Image:
    image = image.copy()
    top = image.height * 9 // 10
    ImageDraw.Draw(image).rectangle((0, top, image.width, image.height),
                                    fill=(255, 255, 255))
    return image


# The least of 100 that must be found: beside an evaluation split, and of any two.
EDITS: dict[str, tuple[Edit, int, int]] = {
    "JPEG quality 90": (encoded(90), 100, 98),
    "JPEG quality 50": (encoded(50), 100, 98),
    "JPEG quality 30": (encoded(30), 100, 98),
    "JPEG quality 10": (encoded(10), 99, 98),
    "half size": (lambda image: image.reduce(2), 100, 97),
    "gray": (ImageOps.grayscale, 100, 98),
    "brightness 1.3": (lambda image: ImageEnhance.Brightness(image).enhance(1.3), 98, 95),
    "crop 2 % a side": (cropped(0.02), 98, 20),
    "crop 5 % a side": (cropped(0.05), 55, 0),
    "flip": (ImageOps.mirror, 100, 98),
    "rotate 2 degrees": (lambda image: image.rotate(2), 95, 15),
    "border 5 %": (lambda image: ImageOps.expand(
        image, round(min(image.size) * 0.05), (0, 0, 0)), 45, 0),
    "text across": (written_on, 95, 60),
    "white over a tenth": (captioned, 50, 40),
}


def photos_of(folder: pathlib.Path) -> list[pathlib.Path]:
    found = []
    for path in sorted(folder.glob("*/*")):
        with Image.open(path) as image:
            if image.format == "JPEG" and image.mode in ("RGB", "L"):
                found.append(path)
    return found


def recall(binary: str, test: pathlib.Path, train: pathlib.Path, edits: list[str],
           *options: str) -> tuple[list[int], int, float]:
    """Found by edit, pairs of unlike photos, seconds."""
    found = audit(binary, test, train, *options)
    of_edit: dict[str, set[str]] = {edit: set() for edit in edits}
    unlike = 0
    for pair in found.pairs:
        photos = {each.key.split("-")[0].split(".")[0] for each in pair}
        unlike += len(photos) > 1
        splits = {each.split for each in pair}
        for each in pair:
            if len(photos) == 1 and each.split == "train" and len(splits) > 1:
                of_edit[edits[int(each.key.split("-")[1].split(".")[0])]] |= photos
    return [len(of_edit[edit]) for edit in edits], unlike, found.seconds


def main() -> None:
    binary, version = sys.argv[1], sys.argv[3]
    if PIL.__version__ != version:
        sys.exit(f"Pillow {PIL.__version__}, not {version}")
    photos = photos_of(pathlib.Path(sys.argv[2]))
    photos = photos[:: max(1, len(photos) // MOST)][:MOST]
    edits = list(EDITS)
    with tempfile.TemporaryDirectory() as folder:
        test, train = pathlib.Path(folder) / "test", pathlib.Path(folder) / "train"
        test.mkdir()
        train.mkdir()
        for i, path in enumerate(photos):
            image = Image.open(path).convert("RGB")
            image.save(test / f"{i}.png")
            for k, edit in enumerate(edits):
                EDITS[edit][0](image).save(train / f"{i}-{k}.jpg", quality=90)
        wide = recall(binary, test, train, edits)
        narrow = recall(binary, test, train, edits, "--near-distance", "31")
    print(f"{len(photos)} photos; edit: found beside a small split, of any two")
    missed = []
    for k, edit in enumerate(edits):
        _, *least = EDITS[edit]
        shares = [100 * counts[k] / len(photos) for counts in (wide[0], narrow[0])]
        print(f"{edit:20} {shares[0]:6.1f} % {shares[1]:6.1f} %")
        # Among few photos, one photo is a large share.
        if any(share < floor - 400 / len(photos)
               for share, floor in zip(shares, least)):
            missed.append(edit)
    print(f"pairs of unlike photos: {wide[1]}, {narrow[1]}; "
          f"{wide[2]:.1f} s, {narrow[2]:.1f} s of a processor")
    if missed or wide[1] or narrow[1]:
        sys.exit(f"too few of {missed}, or photos that are unlike")


if __name__ == "__main__":
    main()
