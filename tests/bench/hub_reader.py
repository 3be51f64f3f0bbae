"""hub_reader.py FOLDER TREE: reads the WebDataset shards of FOLDER with Hugging
Face's datasets by each of its ways, and compares images and labels with the files
of TREE, which are JPEGs all: datasets takes the columns of the first samples."""
import collections
import hashlib
import os
import sys
from typing import Any

import datasets


def samples_of_tree(tree: str) -> collections.Counter[tuple[str, int]]:
    found: collections.Counter[tuple[str, int]] = collections.Counter()
    for label, cls in enumerate(sorted(os.listdir(tree))):
        for file in os.listdir(os.path.join(tree, cls)):
            with open(os.path.join(tree, cls, file), "rb") as f:
                found[hashlib.sha256(f.read()).hexdigest(), label] += 1
    return found


def samples_of(rows: Any) -> collections.Counter[tuple[str, int]]:
    found: collections.Counter[tuple[str, int]] = collections.Counter()
    for row in rows.cast_column("jpg", datasets.Image(decode=False)):
        found[hashlib.sha256(row["jpg"]["bytes"]).hexdigest(), row["cls"]] += 1
    return found


def main() -> None:
    folder, tree = sys.argv[1:]
    datasets.disable_progress_bars()
    expected = samples_of_tree(tree)
    ways = {
        "a glob": ("webdataset", {"data_files": os.path.join(folder, "*.tar")}),
        "a whole folder": ("webdataset", {"data_dir": folder}),
        "the folder's name": (folder, {}),
    }
    for way, (name, options) in ways.items():
        rows = datasets.load_dataset(name, split="train", streaming=True, **options)
        found = samples_of(rows)
        if found != expected:
            sys.exit(f"by {way}: {sum((expected - found).values())} samples differ")
    print(f"datasets {datasets.__version__} read {sum(expected.values())} samples by "
          f"{', '.join(ways)}, all equal")


if __name__ == "__main__":
    main()
