"""The hostile set: Pillow reads and refuses as its column in the table says, and where
both read a file, the pixels are the same.

Usage: hostile_against_pillow.py CODEC_IMAGES HOSTILE_FOLDER VERDICTS_TSV VERSION
"""

import pathlib
import sys
import warnings
from typing import NoReturn

import numpy
import PIL
from PIL import Image

from codecs_of_ours import COLOR, Codecs, Pixels

# Scans that only coarsen the picture are missing: libjpeg smooths over that,
# from version 3.0.1 on (issues 700 and 721 there) in a slightly other way.
SMOOTHED = {"progressive_cut_after_first_scan.jpg", "progressive_dc_only.jpg",
            "progressive_dc_twice.jpg", "spectrum_0_to_0_with_ac_data.jpg"}
SMOOTHED_BY = 4  # levels


def read_by_pillow(path: pathlib.Path) -> Pixels | None:
    """RGB pixels, or None."""
    try:
        with Image.open(path) as image:
            image.load()
            return numpy.asarray(image.convert("RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None


def differ(ours: Pixels, theirs: Pixels, name: str) -> bool:
    if ours.shape != theirs.shape:
        return True
    apart = numpy.abs(ours.astype(int) - theirs.astype(int)).max()
    return bool(apart > (SMOOTHED_BY if name in SMOOTHED else 0))


def main(binary: str, folder: pathlib.Path, table: pathlib.Path,
         version: str) -> NoReturn:
    if PIL.__version__ != version:
        sys.exit(f"this is Pillow {PIL.__version__}")
    warnings.simplefilter("ignore")
    head, *rows = [line.split("\t") for line in
                   table.read_text(encoding="utf-8").splitlines()]
    codecs, both = Codecs(binary), 0
    wrong: list[str] = []
    for cells in rows:
        row = dict(zip(head, cells))
        theirs = read_by_pillow(folder / row["file"])
        verdict = "refuses" if theirs is None else "reads"
        if verdict != row["Pillow 13"]:
            wrong.append(f"{row['file']}: Pillow {verdict}")
        if theirs is None or row["pixels"] not in ("good", "warned"):
            continue
        both += 1
        ours, _ = codecs.decode((folder / row["file"]).read_bytes(), COLOR)
        if differ(ours, theirs, row["file"]):
            wrong.append(f"{row['file']}: other pixels ({row['pixels']})")
    codecs.close()
    print("\n".join(wrong + [f"{len(rows)} files, {both} read by both"]))
    sys.exit(1 if wrong or both < 100 else 0)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__.strip().splitlines()[-1])
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4])
