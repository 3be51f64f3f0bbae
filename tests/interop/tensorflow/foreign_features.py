"""Programs that read other sets' TFRecords read them after a conversion, too.

Records as tf-models' object detection, TensorFlow Datasets and drivers of cars
write them go through `index` and `convert`; TensorFlow's own parsers read them
before and afterwards.
Runs under the Python that has tensorflow.
Usage: foreign_features.py BINARY PHOTOS [unittest options]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tf_records import (  # noqa: E402
    blob, example_of, floats, ints, read_records, write_records)

Features = dict[str, Any]  # feature of each name

BINARY = ""
PHOTOS = ""
IMAGENET = "tfrecord/imagenet:label_offset=0"

# The features of object_detection/data_decoders/tf_example_decoder.py.
COCO = {
    "image/encoded": tf.io.FixedLenFeature((), tf.string, ""),
    "image/format": tf.io.FixedLenFeature((), tf.string, "jpeg"),
    "image/filename": tf.io.FixedLenFeature((), tf.string, ""),
    "image/key/sha256": tf.io.FixedLenFeature((), tf.string, ""),
    "image/source_id": tf.io.FixedLenFeature((), tf.string, ""),
    "image/height": tf.io.FixedLenFeature((), tf.int64, 1),
    "image/width": tf.io.FixedLenFeature((), tf.int64, 1),
    "image/class/text": tf.io.VarLenFeature(tf.string),
    "image/class/label": tf.io.VarLenFeature(tf.int64),
    "image/object/bbox/xmin": tf.io.VarLenFeature(tf.float32),
    "image/object/bbox/xmax": tf.io.VarLenFeature(tf.float32),
    "image/object/bbox/ymin": tf.io.VarLenFeature(tf.float32),
    "image/object/bbox/ymax": tf.io.VarLenFeature(tf.float32),
    "image/object/class/label": tf.io.VarLenFeature(tf.int64),
    "image/object/class/text": tf.io.VarLenFeature(tf.string),
    "image/object/area": tf.io.VarLenFeature(tf.float32),
    "image/object/is_crowd": tf.io.VarLenFeature(tf.int64),
    "image/object/difficult": tf.io.VarLenFeature(tf.int64),
    "image/object/group_of": tf.io.VarLenFeature(tf.int64),
    "image/object/weight": tf.io.VarLenFeature(tf.float32),
    "image/object/mask": tf.io.VarLenFeature(tf.string),
}


def shardine(*arguments: object) -> None:
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"shardine {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))


def serialised(features: Features) -> bytes:
    record: bytes = example_of(features).SerializeToString()
    return record


def features_of(record: bytes) -> Features:
    return dict(tf.train.Example.FromString(record).features.feature)


def photos() -> list[tuple[pathlib.Path, bytes]]:
    paths = sorted(pathlib.Path(PHOTOS).rglob("*.jp*g"))
    return [(path, path.read_bytes()) for path in paths]


def coco_example(path: pathlib.Path, encoded: bytes, count: int) -> Features:
    """The features that create_coco_tf_record.py writes for `count` objects."""
    height, width, _ = tf.io.decode_image(encoded).shape
    rises = [i / (count + 1) for i in range(count)]
    features = {
        "image/height": ints(height), "image/width": ints(width),
        "image/filename": blob(path.name.encode()),
        "image/source_id": blob(b"397133"),
        "image/key/sha256": blob(b"c0ffee"),
        "image/encoded": blob(encoded), "image/format": blob(b"JPEG"),
        "image/object/class/text": blob(*[b"person", b"", b"dog"][:count]),
        "image/object/class/label": ints(*range(17, 17 + count)),
        "image/object/is_crowd": ints(*[0] * count),
        "image/object/area": floats(*rises),
        "image/object/mask": blob(*[b"\x89PNG" + bytes(i)
                                    for i in range(count)])}
    for side in ("xmin", "xmax", "ymin", "ymax"):
        features["image/object/bbox/" + side] = floats(*rises)
    return features


def dense(value: Any) -> Any:
    return tf.sparse.to_dense(value) if isinstance(
        value, tf.sparse.SparseTensor) else value


class ForeignFeatures(unittest.TestCase):
    maxDiff = 2000

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()

    def converted(self, records: list[bytes], *by_way_of: str) -> list[bytes]:
        """The records after convert; to each of these formats in turn first."""
        write_records(self.top / "x.tfrecord", records)
        shardine("index", self.top / "x.tfrecord", self.top / "0")
        last = self.top / "0"
        for number, layout in enumerate(by_way_of, 1):
            step = self.top / str(number)
            shardine("convert", last, step, "--format", layout)
            last = step
        if not by_way_of:
            shardine("convert", last, self.top / "same")
            last = self.top / "same"
        shardine("verify", last)
        found = read_records(*sorted(last.glob("*.tfrecord")))
        self.assertEqual(len(found), len(records))
        return found

    def check_features(self, records: list[bytes], found: list[bytes]) -> None:
        """Each feature is unchanged, whatever ours are beside it."""
        for before, after in zip(records, found):
            features = features_of(after)
            for name, feature in features_of(before).items():
                self.assertIn(name, features)
                self.assertEqual(features[name], feature, name)

    def coco(self) -> list[bytes]:
        return [serialised(coco_example(path, encoded, number % 4))
                for number, (path, encoded) in enumerate(photos())]

    def check_decoder(self, records: list[bytes], found: list[bytes]) -> None:
        for before, after in zip(records, found):
            expected = tf.io.parse_single_example(before, COCO)
            parsed = tf.io.parse_single_example(after, COCO)
            for name in COCO:
                np.testing.assert_array_equal(
                    dense(parsed[name]).numpy(), dense(expected[name]).numpy(),
                    err_msg=name)

    def test_the_decoder_of_coco_reads_a_converted_set(self) -> None:
        records = self.coco()
        found = self.converted(records)
        self.check_decoder(records, found)
        self.check_features(records, found)

    def test_the_decoder_of_coco_reads_a_set_that_was_elsewhere(self) -> None:
        records = self.coco()
        for layout in ("webdataset", "lmdb/fields", "hdf5/fuel"):
            with self.subTest(layout):
                with tempfile.TemporaryDirectory(dir=self.top) as folder:
                    whole, self.top = self.top, pathlib.Path(folder)
                    found = self.converted(records, layout, IMAGENET)
                    self.top = whole
                self.check_decoder(records, found)

    def test_a_set_of_tfds_is_parsed_after_it_was_converted(self) -> None:
        spec = {
            "image": tf.io.FixedLenFeature((), tf.string),
            "image/filename": tf.io.FixedLenFeature((), tf.string),
            "image/id": tf.io.FixedLenFeature((), tf.int64),
            "objects/bbox": tf.io.FixedLenSequenceFeature(
                (4,), tf.float32, allow_missing=True),
            "objects/is_crowd": tf.io.FixedLenSequenceFeature(
                (), tf.int64, allow_missing=True),
            "objects/names": tf.io.RaggedFeature(tf.string)}
        records = []
        for number, (path, encoded) in enumerate(photos()):
            count = number % 3
            records.append(serialised({
                "image": blob(encoded), "image/id": ints(-number),
                "image/filename": blob(path.name.encode()),
                "objects/bbox": floats(*[0.25] * 4 * count),
                "objects/is_crowd": ints(*[1] * count),
                "objects/names": blob(*[b"n"] * count)}))
        found = self.converted(records)
        self.check_features(records, found)
        for before, after in zip(records, found):
            expected = tf.io.parse_single_example(before, spec)
            parsed = tf.io.parse_single_example(after, spec)
            for name in spec:
                np.testing.assert_array_equal(parsed[name].numpy(),
                                              expected[name].numpy(), name)

    def test_a_text_of_the_class_stays_where_there_is_no_synset(self) -> None:
        records = [serialised({
            "image/encoded": blob(encoded), "image/format": blob(b"JPEG"),
            "image/filename": blob(path.name.encode()),
            "image/class/label": ints(number % 3 + 5),
            "image/class/text": blob(b"class, no. %d" % (number % 3))})
            for number, (path, encoded) in enumerate(photos())]
        for by_way_of in ((), ("webdataset", IMAGENET)):
            with self.subTest(by_way_of):
                with tempfile.TemporaryDirectory(dir=self.top) as folder:
                    whole, self.top = self.top, pathlib.Path(folder)
                    self.check_features(
                        records, self.converted(records, *by_way_of))
                    self.top = whole

    def test_records_without_an_image_keep_their_features(self) -> None:
        half = np.arange(6, dtype="<f2").tobytes()
        records = [serialised({
            "context/name": blob(b"segment-%d" % number),
            "laser/points": floats(*range(3 * number)),
            "laser/returns": ints(*range(-number, number)),
            "camera/valid": ints(1, 0, 1), "camera/half": blob(half),
            "image/height": ints(1280), "image/filename": blob(b"a/b"),
            "camera/images": blob(b"front", b"left", b"")})
            for number in range(1, 9)]
        self.check_features(records, self.converted(records))


if __name__ == "__main__":
    BINARY, PHOTOS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
