"""The copies in CIFAR-10 that people judged (ciFAIR), beside those that an audit finds.
The contents of FOLDER are not part of the project: its pictures may not be passed on.
SHARDINE_CIFAR names another folder.

Usage: near_cifar.py BINARY FOLDER
"""

from __future__ import annotations

import csv
import os
import pathlib
import sys
import tempfile
import zipfile

import numpy as np
from audit_lines import audit

CLASSES = ("airplane automobile bird cat deer dog frog horse ship truck").split()
LEAST_FOUND, MOST_FLAGGED = 155, 300


def unpack(folder: pathlib.Path, split: str, to: pathlib.Path) -> None:
    """Named by its number in CIFAR-10: the k-th of a class is the k-th label."""
    labels = np.load(folder / f"{split}_labels.npy")
    next_of = [0] * len(CLASSES)
    to.mkdir()
    with zipfile.ZipFile(folder / "cifar10-jpegs.zip") as archive:
        for number, label in enumerate(labels):
            name = f"{split}/{CLASSES[label]}/{next_of[label]:04}.jpg"
            next_of[label] += 1
            (to / f"{number}.jpg").write_bytes(archive.read(name))


def main() -> None:
    binary = sys.argv[1]
    folder = pathlib.Path(os.environ.get("SHARDINE_CIFAR") or sys.argv[2])
    if not (folder / "cifar10-jpegs.zip").is_file():
        print("NOT RUN: the judged copies of CIFAR-10 are not in "
              f"{folder}; SHARDINE_CIFAR names their folder")
        sys.exit(77)
    with open(folder / "duplicates_cifar10.csv") as file:
        judged = {(int(row["TestID"]), int(row["TrainID"]))
                  for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as scratch:
        test, train = pathlib.Path(scratch) / "test", pathlib.Path(scratch) / "train"
        unpack(folder, "test", test)
        unpack(folder, "train", train)
        found = audit(binary, test, train)
    pairs = set()
    for pair in found.pairs:
        numbers = {split: [int(each.key.split(".")[0]) for each in pair
                           if each.split == split] for split in ("test", "train")}
        pairs |= {(a, b) for a in numbers["test"] for b in numbers["train"]}
    hits = len(pairs & judged)
    print(f"{hits} of {len(judged)} judged pairs; {found.flagged} test images and "
          f"{len(pairs)} pairs flagged; {found.seconds:.0f} s of a processor")
    if hits < LEAST_FOUND or found.flagged > MOST_FLAGGED:
        sys.exit(f"at least {LEAST_FOUND} and at most {MOST_FLAGGED} are wanted")


if __name__ == "__main__":
    main()
