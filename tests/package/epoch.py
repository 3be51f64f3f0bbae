"""An epoch of each of the datasets given: the same samples from all of them. Prints
first the cost of `import shardine` beyond NumPy's. Makes, last, the dataset in-hdf5
once more of the first of them, of the same bytes: the module has a libhdf5 of its own.

Usage: epoch.py [--bare] DATASET...
--bare: nothing else is at work here, so that a slow import is a fault.
"""

import pathlib
import re
import subprocess
import sys

IMPORT = """
import re, time
def resident():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\\s+(\\d+)", status.read())[1]) / 1000
import numpy
memory, begin = resident(), time.process_time()
import shardine
print(time.process_time() - begin, resident() - memory)
"""
MAX_SECONDS = 0.1
MAX_MEGABYTES = 30


def import_cost() -> tuple[float, float]:
    """Seconds of the processor, so that other programs do not matter, and megabytes:
    the least of several runs."""
    runs = [subprocess.run([sys.executable, "-c", IMPORT], stdout=subprocess.PIPE,
                           text=True, check=True).stdout.split() for _ in range(5)]
    return min(float(run[0]) for run in runs), min(float(run[1]) for run in runs)


def samples_of(folder: str) -> list[tuple[int, int, int]]:
    import shardine

    loader = shardine.Loader(folder, batch_size=4, seed=3, last_batch="short",
                             transform=shardine.RandomResizedCrop(64))
    samples = []
    for batch in loader:
        sums = batch.images.reshape(len(batch.labels), -1).sum(1, dtype="int64")
        samples += [(int(i), int(label), int(total))
                    for i, label, total in zip(batch.ids, batch.labels, sums)]
    return samples


def shards_of(folder: str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in pathlib.Path(folder).glob("*.h5")}


def main(folders: list[str]) -> int:
    import shardine

    where = pathlib.Path(shardine.__file__)
    if not re.search(r"/site-packages/", str(where)):
        raise SystemExit(f"this is not the installed package: {where}")
    seconds, megabytes = import_cost()
    print(f"import shardine: {seconds:.3f} s, {megabytes:.1f} MB beyond NumPy")
    bare = folders[0] == "--bare"
    folders = folders[1:] if bare else folders
    if (bare and seconds > MAX_SECONDS) or megabytes > MAX_MEGABYTES:
        raise SystemExit(f"at most {MAX_SECONDS} s and {MAX_MEGABYTES} MB")
    first = samples_of(folders[0])
    for folder in folders:
        if not first or samples_of(folder) != first:
            raise SystemExit(f"{folder} gives other samples than {folders[0]}")
    print(f"{len(first)} samples an epoch, the same from {len(folders)} datasets")
    shardine.convert(folders[0], "hdf5-by-python", format="hdf5")
    if not shards_of("in-hdf5") or shards_of("hdf5-by-python") != shards_of("in-hdf5"):
        raise SystemExit("Python writes other HDF5 files than the program")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
