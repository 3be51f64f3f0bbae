"""records_peer.py PEER PATH ORDER SECONDS: reads all records of a file with its
format's own Python library, or of a dataset with ours, over and over, as bytes and
label, without decoding. ORDER: sequential or shuffled. Prints one line of JSON: the
rates (measure.py) and the digest of the first epoch's bytes and labels.

records_peer.py pack PEER TREE OUT writes the formats that we do not write.

Runs in the virtual environment of the library; settings are those that were found
fastest with two processors. A peer that counts on one thread has one."""
import hashlib
import os
import pickle
import random
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from measure import finish, measure_epochs

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
BATCH = 64
SHUFFLE_BUFFER = 2000  # of those that have nothing better

Record = tuple[Any, Any]  # bytes or the like, label
Epoch = Callable[[], Iterable[Record]]


def order_of(count: int, order: str) -> list[int]:
    numbers = list(range(count))
    if order == "shuffled":
        random.Random(1).shuffle(numbers)
    return numbers


def open_shardine(path: str, order: str) -> Epoch:
    import shardine
    loader = shardine.Loader(path, batch_size=BATCH, raw=True, threads=2, last_batch="short",
                             order="shuffle" if order == "shuffled" else "sequential")

    def epoch() -> Iterator[Record]:
        for batch in loader:
            yield from zip(batch.images, batch.labels)
    return epoch


def open_lmdb(path: str, order: str, buffers: bool = False) -> Epoch:
    import lmdb
    env = lmdb.open(path, subdir=False, readonly=True, lock=False, readahead=False, meminit=False)
    with env.begin() as txn:
        count = pickle.loads(txn.get(b"__len__"))
    keys = [b"%08d" % number for number in order_of(count, order)]

    def epoch() -> Iterator[Record]:
        with env.begin(buffers=buffers) as txn:
            for key in keys:
                yield txn.get(key), None
    return epoch


def open_lmdb_buffers(path: str, order: str) -> Epoch:
    return open_lmdb(path, order, buffers=True)


def open_lmdb_pickle(path: str, order: str) -> Epoch:
    values = open_lmdb(path, order)
    return lambda: (pickle.loads(value) for value, _ in values())


def open_h5py(path: str, order: str) -> Epoch:
    import h5py
    file = h5py.File(path, "r")
    images, labels = file["encoded_images"], file["targets"][:, 0]
    numbers = order_of(len(images), order)
    return lambda: ((images[number], labels[number]) for number in numbers)


def open_tf_data(path: str, order: str) -> Epoch:
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(2)
    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    options.autotune.enabled = False  # its sleeps cost more than it gains
    features = {"image/encoded": tf.io.FixedLenFeature([], tf.string),
                "image/class/label": tf.io.FixedLenFeature([], tf.int64)}
    dataset = tf.data.TFRecordDataset(path)
    if order == "shuffled":
        dataset = dataset.shuffle(SHUFFLE_BUFFER)
    dataset = (dataset.batch(BATCH)
               .map(lambda batch: tf.io.parse_example(batch, features), num_parallel_calls=2)
               .prefetch(2).with_options(options))

    def epoch() -> Iterator[Record]:
        for batch in dataset:
            yield from zip(batch["image/encoded"].numpy(), batch["image/class/label"].numpy())
    return epoch


def open_mxnet(path: str, order: str) -> Epoch:
    import numpy
    # Which MXNet still asks for.
    numpy.bool = bool  # type: ignore[misc, assignment]
    import mxnet
    records = mxnet.recordio.MXIndexedRecordIO(os.path.splitext(path)[0] + ".idx", path, "r")
    numbers = order_of(len(records.keys), order)

    def epoch() -> Iterator[Record]:
        for number in numbers:
            header, image = mxnet.recordio.unpack(records.read_idx(number))
            yield image, header.label
    return epoch


def open_webdataset(path: str, order: str) -> Epoch:
    import webdataset
    dataset = webdataset.WebDataset(path, shardshuffle=False)
    if order == "shuffled":
        dataset = dataset.shuffle(SHUFFLE_BUFFER)
    return lambda: iter(dataset.to_tuple("jpg", "cls"))


def open_mds(path: str, order: str) -> Epoch:
    import streaming  # its iterator is ten times as slow as its samples by number
    dataset = streaming.StreamingDataset(local=path, shuffle=False, batch_size=BATCH)
    numbers = order_of(len(dataset), order)

    def epoch() -> Iterator[Record]:
        for number in numbers:
            sample = dataset[number]
            yield sample["jpg"], sample["cls"]
    return epoch


def open_array_record(path: str, order: str) -> Epoch:
    from array_record.python import array_record_module
    reader = array_record_module.ArrayRecordReader(
        path, "readahead_buffer_size:0" if order == "shuffled" else "")
    numbers = order_of(reader.num_records(), order)

    def epoch() -> Iterator[Record]:
        for first in range(0, len(numbers), BATCH):
            for record in reader.read(numbers[first:first + BATCH]):
                yield record[4:], record[0]
    return epoch


def files_of(tree: str) -> Iterator[tuple[bytes, int]]:
    for label, name in enumerate(sorted(os.listdir(tree))):
        for file in sorted(os.listdir(os.path.join(tree, name))):
            with open(os.path.join(tree, name, file), "rb") as image:
                yield image.read(), label


def pack_mds(tree: str, out: str) -> None:
    from streaming import MDSWriter
    with MDSWriter(out=out, columns={"jpg": "bytes", "cls": "int"}) as writer:
        for image, label in files_of(tree):
            writer.write({"jpg": image, "cls": label})


def litdata_item(record: Record) -> dict[str, Any]:
    return {"jpg": record[0], "cls": record[1]}


def pack_litdata(tree: str, out: str) -> None:
    import litdata
    litdata.optimize(fn=litdata_item, inputs=list(files_of(tree)), output_dir=out,
                     chunk_bytes="64MB", num_workers=1)


def pack_array_record(tree: str, out: str) -> None:
    from array_record.python import array_record_module
    writer = array_record_module.ArrayRecordWriter(out, "group_size:1,uncompressed")
    for image, label in files_of(tree):
        writer.write(struct.pack("<I", label) + image)
    writer.close()


def digest_of(records: Iterable[Record]) -> dict[str, object]:
    """Digests the records as a set, since orders differ, but counts repeated
    records."""
    count, total = 0, 0
    for image, label in records:
        digest = hashlib.blake2b(image, digest_size=16, salt=b"%d" % int(label))
        total += int.from_bytes(digest.digest(), "little")
        count += 1
    return {"records": count, "digest": f"{total % (1 << 128):032x}"}


def consume(records: Iterable[Record]) -> tuple[int, int]:
    count = size = 0
    for image, _ in records:
        count += 1
        size += len(image)
    return count, size


def main() -> None:
    if sys.argv[1] == "pack":
        peer, tree, out = sys.argv[2:]
        globals()["pack_" + peer](tree, out)
        return
    peer, path, order, seconds = sys.argv[1:]
    epoch: Epoch = globals()["open_" + peer](path, order)
    checked = epoch
    if peer in ("lmdb", "lmdb_buffers"):  # the value is the record read, pickled
        checked = lambda: (pickle.loads(value) for value, _ in epoch())  # noqa: E731
    first = digest_of(checked())
    sizes = consume(epoch())

    def measured() -> int:
        if consume(epoch()) != sizes:
            sys.exit(f"{peer}: an epoch of other sizes")
        return sizes[0]
    finish(**first, **measure_epochs(measured, float(seconds)))


if __name__ == "__main__":
    main()
