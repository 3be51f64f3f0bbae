"""formats_loader.py SECONDS NAME=DATASET...: the same samples in several formats
through our loader, two threads, an epoch of each in turn, so that whatever disturbs
the machine disturbs all alike: records as they lie and shuffled, and random crops to
224 pixels with entry points. Prints one line of JSON: by kind and format records
per CPU-second, and the digest of the first epoch: ids, labels and bytes or pixels,
in their order."""
import hashlib
import statistics
import sys
import time
from typing import Any

import numpy
import shardine
from measure import cpu_seconds, finish

KINDS: dict[str, dict[str, Any]] = {"records as stored": {"raw": True, "order": "sequential"},
         "records, shuffled": {"raw": True},
         "random crops to 224": {"transform": shardine.RandomResizedCrop(224)}}


def digest_of(loader: shardine.Loader) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for batch in loader:
        digest.update(batch.ids.data)
        digest.update(batch.labels.data)
        digest.update(batch.boxes.data)
        if isinstance(batch.images, list):
            for image in batch.images:
                digest.update(image)
        else:
            pixels = numpy.ascontiguousarray(batch.images.transpose(0, 2, 3, 1))
            digest.update(pixels.data)
    return digest.hexdigest()


def per_cpu_s(loader: shardine.Loader) -> float:
    begin, images = cpu_seconds(), 0
    for batch in loader:
        images += len(batch)
    return images / (cpu_seconds() - begin)


def measure(kind: str, datasets: dict[str, str], seconds: float) -> dict[str, dict[str, object]]:
    rates: dict[str, list[float]] = {name: [] for name in datasets}
    digests = {}
    for name, path in datasets.items():
        with shardine.Loader(path, batch_size=64, threads=2, last_batch="short",
                             **KINDS[kind]) as loader:
            digests[name] = digest_of(loader)
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(rates[name]) < 3:
        for name, path in datasets.items():
            with shardine.Loader(path, batch_size=64, threads=2, last_batch="short",
                                 **KINDS[kind]) as loader:
                rates[name].append(per_cpu_s(loader))
    return {name: {"per_cpu_s": statistics.median(rates[name]), "digest": digests[name]}
            for name in datasets}


def main() -> None:
    seconds = float(sys.argv[1])
    datasets = dict(argument.split("=", 1) for argument in sys.argv[2:])
    finish(**{kind: measure(kind, datasets, seconds) for kind in KINDS})


if __name__ == "__main__":
    main()
