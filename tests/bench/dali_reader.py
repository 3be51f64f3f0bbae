"""dali_reader.py FORMAT FOLDER TREE: reads the shards of FOLDER with DALI and
compares images and labels with the files of TREE."""
import collections
import glob
import hashlib
import os
import sys
from typing import Any

import numpy as np
import nvidia.dali as dali
import nvidia.dali.tfrecord as tfrec
from nvidia.dali import fn, pipeline_def


def reader(name: str, folder: str) -> Any:
    def files(suffix: str) -> list[str]:
        return sorted(glob.glob(os.path.join(folder, "*" + suffix)))
    def indexes() -> list[str]:
        return sorted(glob.glob(os.path.join(folder, ".shardine", "*.idx")))
    if name == "tfrecord":
        features = fn.readers.tfrecord(
            path=files(".tfrecord"), index_path=indexes(), name="r", features={
                "image/encoded": tfrec.FixedLenFeature((), tfrec.string, ""),
                "image/class/label": tfrec.FixedLenFeature([1], tfrec.int64, -1)})
        return features["image/encoded"], features["image/class/label"]
    if name == "recordio":
        return fn.readers.mxnet(path=files(".rec"), index_path=indexes(), name="r")
    if name == "webdataset":
        return fn.readers.webdataset(paths=files(".tar"), index_paths=indexes(),
                                     ext=["jpg;png", "cls"], missing_component_behavior="error",
                                     name="r")
    # The directory form, which is all that Caffe's reader opens.
    folders = []
    for file in files(".lmdb"):
        folders.append(file + ".d")
        os.makedirs(folders[-1])
        os.link(file, os.path.join(folders[-1], "data.mdb"))
    return fn.readers.caffe(path=folders, name="r")


@pipeline_def(batch_size=16, num_threads=2, device_id=None)
def pipeline(name: str, folder: str) -> Any:
    return tuple(reader(name, folder))


def label_of(array: Any) -> int:
    raw = np.asarray(array)
    if raw.dtype == np.uint8:  # .cls is text
        return int(raw.tobytes().decode())
    return int(raw.reshape(-1)[0])


def main() -> None:
    name, folder, tree = sys.argv[1:]
    expected: collections.Counter[tuple[str, int]] = collections.Counter()
    for label, cls in enumerate(sorted(os.listdir(tree))):
        for file in os.listdir(os.path.join(tree, cls)):
            with open(os.path.join(tree, cls, file), "rb") as f:
                expected[hashlib.sha256(f.read()).hexdigest(), label] += 1
    pipe = pipeline(name, folder)
    pipe.build()
    left = sum(pipe.reader_meta("r")["epoch_size"] for _ in [0])
    if left != sum(expected.values()):
        sys.exit(f"{left} samples, not {sum(expected.values())}")
    found: collections.Counter[tuple[str, int]] = collections.Counter()
    while left > 0:
        images, labels = pipe.run()
        for i in range(min(left, len(images))):
            data = np.asarray(images.at(i)).tobytes()
            found[hashlib.sha256(data).hexdigest(), label_of(labels.at(i))] += 1
        left -= len(images)
    if found != expected:
        sys.exit(f"{sum((expected - found).values())} samples differ")
    print(f"DALI {dali.__version__} read {sum(found.values())} samples, all equal")


if __name__ == "__main__":
    main()
