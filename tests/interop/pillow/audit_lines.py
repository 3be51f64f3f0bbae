"""Output of `shardine audit` for two folders, read."""

from __future__ import annotations

import pathlib
import resource
import subprocess
from typing import NamedTuple


class Sample(NamedTuple):
    split: str
    key: str


class Audit(NamedTuple):
    pairs: list[tuple[Sample, ...]]  # of images that are alike, or of equal pixels
    flagged: int  # images of split test that are in train
    seconds: float  # of processors


def audit(binary: str, test: pathlib.Path, train: pathlib.Path, *options: str) -> Audit:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [binary, "audit", f"test={test}", f"train={train}", "--near", *options],
        check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    pairs = []
    flagged = set()
    for line in done.stdout.splitlines():
        findings, *fields = line.split("\t")
        if not fields:
            continue
        samples = [Sample(split, key)
                   for split, key in zip(fields[::3], fields[1::3])]
        if findings.split(",")[-1] in ("near", "pixels"):
            pairs.append(tuple(samples))
        if findings.startswith("leakage"):
            flagged |= {each for each in samples if each.split == "test"}
    spent = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return Audit(pairs, len(flagged), spent)
