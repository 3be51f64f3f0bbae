"""write_peer.py FORMAT TREE OUT: writes the files of TREE into 8 shards with the
format's own Python library and syncs them. Prints how many samples it wrote, and in
how many seconds, the import of the library left out."""
import importlib
import json
import os
import pickle
import sys
import time
from collections.abc import Iterator
from typing import Any

Sample = tuple[int, str, int, str, bytes]

SHARDS = 8
LIBRARIES = {"tfrecord": "tensorflow", "lmdb": "lmdb", "hdf5": "h5py",
             "webdataset": "webdataset", "mds": "streaming"}


def samples(tree: str) -> Iterator[Sample]:
    number = 0
    for label, name in enumerate(sorted(os.listdir(tree))):
        for file in sorted(os.listdir(os.path.join(tree, name))):
            with open(os.path.join(tree, name, file), "rb") as f:
                yield number, f"{name}/{file}", label, name, f.read()
            number += 1


def count_files(tree: str) -> int:
    return sum(len(os.listdir(os.path.join(tree, name))) for name in os.listdir(tree))


def sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def in_shards(tree: str) -> Iterator[tuple[int, Sample]]:
    """(shard, sample) with neighbours in one shard."""
    total = count_files(tree)
    for sample in samples(tree):
        yield sample[0] * SHARDS // total, sample


def write_tfrecord(tree: str, out: str) -> int:
    import tensorflow as tf

    def ints(*values: int) -> Any:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    def texts(value: bytes) -> Any:
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))

    writer: Any = None
    current, written = -1, 0
    for shard, (number, key, label, name, data) in in_shards(tree):
        if shard != current:
            if writer:
                writer.close()
            writer, current = tf.io.TFRecordWriter(f"{out}/{shard}.tfrecord"), shard
        features = {"image/encoded": texts(data), "image/format": texts(b"JPEG"),
                    "image/filename": texts(os.path.basename(key).encode()),
                    "image/class/label": ints(label), "image/class/synset": texts(name.encode()),
                    "shardine/key": texts(key.encode()), "shardine/id": ints(number)}
        example = tf.train.Example(features=tf.train.Features(feature=features))
        writer.write(example.SerializeToString())
        written += 1
    writer.close()
    return written


def write_lmdb(tree: str, out: str) -> int:
    import lmdb
    env: Any = None
    txn: Any = None
    current, written = -1, 0
    keys: list[bytes] = []

    def finish() -> None:
        txn.commit()
        with env.begin(write=True) as last:
            last.put(b"__keys__", pickle.dumps(keys))
            last.put(b"__len__", pickle.dumps(len(keys)))
        env.sync()
        env.close()

    for shard, (_, _, label, _, data) in in_shards(tree):
        if shard != current:
            if env:
                finish()
            env, current, keys = lmdb.open(f"{out}/{shard}.lmdb", subdir=False, lock=False,
                                           map_size=1 << 40, meminit=False, map_async=True), shard, []
            txn = env.begin(write=True)
        key = b"%08d" % len(keys)
        txn.put(key, pickle.dumps((data, label)))
        keys.append(key)
        written += 1
        if len(keys) % 5000 == 0:
            txn.commit()
            txn = env.begin(write=True)
    finish()
    return written


def write_hdf5(tree: str, out: str) -> int:
    import h5py
    import numpy as np
    file: Any = None
    total, written, current = count_files(tree), 0, -1
    bounds = [(total * s + SHARDS - 1) // SHARDS for s in range(SHARDS + 1)]
    for shard, (number, key, label, _, data) in in_shards(tree):
        if shard != current:
            if file:
                file.close()
            file, current = h5py.File(f"{out}/{shard}.h5", "w"), shard
            count = bounds[shard + 1] - bounds[shard]
            images = file.create_dataset("encoded_images", (count,), h5py.vlen_dtype(np.uint8))
            targets = file.create_dataset("targets", (count, 1), "i8")
            names = file.create_dataset("filenames", (count,), h5py.string_dtype())
        row = number - bounds[shard]
        images[row] = np.frombuffer(data, np.uint8)
        targets[row] = label
        names[row] = key
        written += 1
    file.close()
    return written


def write_webdataset(tree: str, out: str) -> int:
    import webdataset
    total, written = count_files(tree), 0
    with webdataset.ShardWriter(f"{out}/%d.tar", maxcount=(total + SHARDS - 1) // SHARDS,
                                verbose=0) as sink:
        for number, key, label, _, data in samples(tree):
            sink.write({"__key__": f"{number:08d}", "jpg": data, "cls": label,
                        "json": json.dumps({"key": key, "labels": [label]}).encode()})
            written += 1
    return written


def write_mds(tree: str, out: str) -> int:
    from streaming import MDSWriter
    size = sum(os.path.getsize(os.path.join(folder, file))
               for folder, _, files in os.walk(tree) for file in files) // SHARDS + 1
    written = 0
    with MDSWriter(out=out, columns={"image": "bytes", "label": "int", "key": "str"},
                   size_limit=size) as sink:
        for _, key, label, _, data in samples(tree):
            sink.write({"image": data, "label": label, "key": key})
            written += 1
    return written


def main() -> None:
    name, tree, out = sys.argv[1:]
    importlib.import_module(LIBRARIES[name])
    began = time.perf_counter()
    written = globals()["write_" + name](tree, out)
    for file in os.listdir(out):
        sync(os.path.join(out, file))
    print(json.dumps({"samples": written, "seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main()
