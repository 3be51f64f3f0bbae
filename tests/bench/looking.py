"""Prints the cost of a sample by each way of looking at it, as the table in
shardine.Dataset's docstring: looking.py DATASET [SECONDS]. On one process and as
many threads as it may use; best of three runs over all samples, each of SECONDS
at least. Needs torch and Pillow."""

import sys
import time
from collections.abc import Callable, Iterable

import torch.utils.data

import shardine


def halved(image: object) -> object:
    return image.resize((224, 224))  # type: ignore[attr-defined]


def run_through(items: Iterable[object]) -> int:
    return sum(1 for _ in items)


def microseconds(epoch: Callable[[], int], seconds: float) -> float:
    """Per sample, of epochs that give as many of them."""
    best = float("inf")
    for _ in range(3):
        begin, samples = time.perf_counter(), 0
        while (took := time.perf_counter() - begin) < seconds:
            samples += epoch()
        best = min(best, took / samples)
    return best * 1e6


def ways(path: str) -> dict[str, Callable[[], int]]:
    dataset = shardine.Dataset(path)
    numbers = range(len(dataset))
    crop = shardine.CenterCrop(224)
    loader = shardine.Loader(dataset, batch_size=8, transform=crop, last_batch="short")
    samples = dataset.as_torch(transform=halved)

    def torchs(workers: int) -> Callable[[], int]:
        batches = torch.utils.data.DataLoader(
            samples, 8, num_workers=workers, persistent_workers=workers > 0
        )
        return lambda: sum(len(labels) for images, labels in batches)

    return {
        "labels, targets, keys": lambda: len(dataset.labels),
        "dataset.key(i)": lambda: run_through(map(dataset.key, numbers)),
        "dataset[i]": lambda: run_through(map(dataset.sample, numbers)),
        "for sample in dataset": lambda: run_through(dataset),
        "sample.pil()": lambda: run_through(s.pil() for s in dataset),
        "sample.array": lambda: run_through(s.array for s in dataset),
        "as_torch(), DataLoader": torchs(0),
        "the same, 2 workers": torchs(2),
        "for batch in loader": lambda: sum(len(batch) for batch in loader),
        "loader.as_tuples()": lambda: sum(len(y) for x, y in loader.as_tuples()),
    }


def main() -> None:
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    for name, epoch in ways(sys.argv[1]).items():
        epoch()  # files are in the page cache, workers have begun
        print(f"{name:24} {microseconds(epoch, seconds):9.1f} us", flush=True)


if __name__ == "__main__":
    main()
