"""The tree of `resize --preset imagenet18` is the one that imagenet18's own
script makes: resize_images.py of its authors, whose two lines are below.

Runs under the pinned Pillow. Usage: imagenet18_preset.py BINARY PHOTOS VERSION
"""

import io
import math
import pathlib
import subprocess
import sys
import tempfile

import PIL
from PIL import Image, ImageChops
from PIL.JpegImagePlugin import JpegImageFile


def as_the_script(photo: pathlib.Path, target: int) -> JpegImageFile:
    image = Image.open(photo).convert("RGB")
    ratio = target / min(image.size)
    width, height = (max(math.floor(side * ratio), target) for side in image.size)
    saved = io.BytesIO()
    image.resize((width, height), Image.Resampling.BILINEAR).save(saved, "JPEG")
    saved.seek(0)
    return JpegImageFile(saved)


def main() -> None:
    binary, photos, version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    if PIL.__version__ != version:
        sys.exit(f"Pillow {PIL.__version__}, not {version}")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "imagenet-sz"
        subprocess.run([binary, "resize", "--preset", "imagenet18",
                        f"train={photos}", f"validation={photos}", out],
                       check=True, capture_output=True)
        found = {path.relative_to(out) for path in out.glob("*/*/*/*")}
        wanted = 0
        for photo in sorted(photos.glob("*/*")):
            key = photo.relative_to(photos)
            name = key if key.suffix in (".jpg", ".JPEG") else \
                key.with_suffix(".jpg")
            for target in (160, 320):
                expected = as_the_script(photo, target)
                for split in ("train", "validation"):
                    path = pathlib.Path(str(target), split) / name
                    if path not in found:
                        sys.exit(f"{path} is not there")
                    ours = JpegImageFile(out / path)
                    if (ours.mode, ours.size) != ("RGB", expected.size):
                        sys.exit(f"{path}: {ours.mode} {ours.size}")
                    if ours.quantization != expected.quantization:
                        sys.exit(f"{path}: another quality")
                    if ImageChops.difference(ours, expected).getbbox():
                        sys.exit(f"{path}: other pixels")
                    wanted += 1
        if wanted != len(found) or wanted < 24 * 4:
            sys.exit(f"{wanted} files were expected, {len(found)} are there")
        print(f"{wanted} files as Pillow {version} makes them")


if __name__ == "__main__":
    main()
