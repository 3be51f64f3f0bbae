"""Compares splits of --group-by and --stratify with the folds of scikit-learn's
StratifiedGroupKFold on 200 random sets.

The measure is the sum over classes and splits of (count / size - share)^2, with all
samples as one more class. No set may be worse than scikit-learn's.
Usage: against_group_folds.py BINARY
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold

Folds = NDArray[numpy.int64]
CASES = 200
MOST_GROUPS, MOST_SAMPLES = 320, 61


class GroupedSet:
    """Samples of random groups: each group has a main class."""

    def __init__(self, seed: int) -> None:
        draw = numpy.random.default_rng(seed)
        self.folds = int(draw.integers(2, 9))
        classes = int(draw.integers(1, 12))
        groups = int(draw.integers(5 * self.folds, 40 * self.folds))
        sizes = [1 + int(draw.integers(0, 1 + draw.integers(1, 60)))
                 for _ in range(groups)]
        main = draw.integers(0, classes, groups)
        self.group = numpy.repeat(numpy.arange(groups), sizes)
        self.number = numpy.concatenate([numpy.arange(size) for size in sizes])
        other = draw.integers(0, classes, self.group.size)
        labels = numpy.where(draw.random(self.group.size) < 0.7, main[self.group], other)
        self.label = numpy.unique(labels, return_inverse=True)[1]

    def distance(self, fold: Folds) -> float:
        counts = numpy.zeros((self.folds, self.label.max() + 1))
        numpy.add.at(counts, (fold, self.label), 1)
        counts = numpy.hstack([counts, counts.sum(1, keepdims=True)])
        return float(((counts / counts.sum(0) - 1 / self.folds) ** 2).sum())


def folds_of_sklearn(case: GroupedSet, seed: int) -> Folds:
    fold = numpy.zeros(case.label.size, numpy.int64)
    splitter = StratifiedGroupKFold(case.folds, shuffle=True, random_state=seed)
    for number, (_, test) in enumerate(
            splitter.split(fold, case.label, case.group)):
        fold[test] = number
    return fold


def splits_of_ours(binary: str, world: pathlib.Path, case: GroupedSet,
                   seed: int) -> Folds:
    (world / "all.lst").write_text("".join(
        f"{i}\t{case.label[i]}\tg{case.group[i]:05}/{case.number[i]}.jpg\n"
        for i in range(case.label.size)))
    share = round(1 / case.folds, 9)
    shares = [1 - share * (case.folds - 1)] + [share] * (case.folds - 1)
    subprocess.run(
        [binary, "list", world / "tree", "--list", world / "all.lst", "--split",
         ",".join(f"f{n}={value:.9f}" for n, value in enumerate(shares)),
         "--group-by", "folder:1", "--stratify", "--small-classes", "train",
         "--seed", str(seed), "--lst", world / "of.lst", "--per-split"],
        check=True, capture_output=True)
    fold = numpy.full(case.label.size, -1)
    for number in range(case.folds):
        for line in (world / f"of_f{number}.lst").read_text().splitlines():
            fold[int(line.split("\t")[0])] = number
    return fold


def main(binary: str) -> int:
    better, worse = 0, []
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder)
        for group in range(MOST_GROUPS):
            (world / f"tree/g{group:05}").mkdir(parents=True)
            for number in range(MOST_SAMPLES):
                (world / f"tree/g{group:05}/{number}.jpg").touch()
        for seed in range(CASES):
            case = GroupedSet(seed)
            ours = splits_of_ours(binary, world, case, seed)
            assert ours.min() == 0
            cut = {(group, fold) for group, fold in zip(case.group, ours)}
            assert len(cut) == case.group.max() + 1, f"set {seed} has a group in two"
            theirs = case.distance(folds_of_sklearn(case, seed))
            if case.distance(ours) > theirs + 1e-12:
                worse.append(seed)
            better += case.distance(ours) < theirs - 1e-12
    print(f"{CASES} sets: nearer in {better}, further in {len(worse)} {worse}")
    return 1 if worse or better < CASES // 2 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
