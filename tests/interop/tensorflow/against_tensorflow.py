"""Lets TensorFlow read shardine's files, and shardine TensorFlow's.

Runs under the Python that has tensorflow.
Usage: against_tensorflow.py BINARY EXAMPLE_FILES PHOTOS [unittest options]
"""

import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from google.protobuf import descriptor_pb2, descriptor_pool  # noqa: E402
from google.protobuf import message_factory  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from tf_records import (  # noqa: E402
    blob, example_of, floats, ints, read_records, write_records)

Sample = dict[str, Any]  # as `ls --json` has it
# A field: name, dtype, shape, bytes.
Field = tuple[str, str, tuple[int, ...], bytes]
# A file made by TensorFlow: path, label, features.
Made = tuple[pathlib.Path, int, dict[str, Any]]
# A sample: id, key, labels, class name, class text, fields.
Line = tuple[int, bytes, Sequence[float], bytes, bytes, list[Field]]

BINARY = ""
EXAMPLE_FILES = ""
PHOTOS = ""
BOXES = "image/object/bbox/"
SIDES = ("xmin", "xmax", "ymin", "ymax")


def shardine(*arguments: object) -> bytes:
    """Standard output of a run that must succeed."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"shardine {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))
    return done.stdout


def listed(dataset: pathlib.Path) -> list[Sample]:
    lines = shardine("ls", dataset, "--json").splitlines()
    return [json.loads(line) for line in lines]


def photo_folders() -> list[pathlib.Path]:
    """The checked-in photos, and the corpus where this machine has it."""
    folders = [pathlib.Path(PHOTOS)]
    corpus = folders[0].parents[2] / "shared" / "corpus" / "photos"
    return folders + [corpus] * corpus.is_dir()


def write_lines(layout: str, path: pathlib.Path,
                samples: Iterable[Line]) -> str:
    """Writes samples (id, key, labels, class name, class text, fields); a field
    is name, dtype, shape, bytes. Returns the program's standard error."""
    lines = []
    for number, key, labels, name, text, fields in samples:
        lines.append(["sample", str(number), key.hex(),
                      " ".join(map(str, labels)), name.hex(), text.hex()])
        lines += [["field", field.encode().hex(), dtype,
                   " ".join(map(str, shape)), data.hex(), ""]
                  for field, dtype, shape, data in sorted(fields)]
    table = "".join("\t".join(line) + "\n" for line in lines)
    done = subprocess.run([EXAMPLE_FILES, "write", layout, path],
                          input=table.encode(), capture_output=True)
    return done.stderr.decode()


class Scan:
    """The samples that our scanner finds in a file."""

    def __init__(self, path: pathlib.Path) -> None:
        out = subprocess.run([EXAMPLE_FILES, "scan", path], check=True,
                             capture_output=True).stdout.decode()
        contents = pathlib.Path(path).read_bytes()
        self.samples: list[dict[str, Any]] = []
        self.error = None
        for line in out.splitlines():
            kind, *rest = line.split("\t")
            if kind == "sample":
                number, key, labels, name, text = rest
                self.samples.append({
                    "id": None if number == "-" else int(number),
                    "key": None if key == "-" else bytes.fromhex(key),
                    "labels": [int(x) for x in labels.split()],
                    "class": (bytes.fromhex(name), bytes.fromhex(text)),
                    "fields": {}})
            elif kind == "field":
                self.add_field(contents, *rest)
            else:
                self.error = rest[0] if rest else None

    def add_field(self, contents: bytes, name: str, dtype: str, shape: str,
                  data: str, extents: str) -> None:
        places = [int(x) for x in extents.split()]
        pairs = list(zip(places[::2], places[1::2]))
        held = bytes.fromhex(data)
        if pairs:
            at = b"".join(contents[a:a + n] for a, n in pairs)
            assert at == held, f"extents of {name} hold other bytes"
        name = bytes.fromhex(name).decode()
        fields = self.samples[-1]["fields"]
        assert name not in fields
        assert list(fields) == sorted(fields, key=str.encode)
        fields[name] = (dtype, tuple(int(x) for x in shape.split()), held,
                        bool(pairs))


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()


class TensorflowReadsPackedPhotos(Case):
    SPEC = {
        "image/encoded": tf.io.FixedLenFeature([], tf.string),
        "image/height": tf.io.FixedLenFeature([], tf.int64),
        "image/width": tf.io.FixedLenFeature([], tf.int64),
        "image/channels": tf.io.FixedLenFeature([], tf.int64),
        "image/colorspace": tf.io.FixedLenFeature([], tf.string),
        "image/format": tf.io.FixedLenFeature([], tf.string),
        "image/filename": tf.io.FixedLenFeature([], tf.string),
        "image/class/label": tf.io.FixedLenFeature([], tf.int64),
        "image/class/synset": tf.io.FixedLenFeature([], tf.string),
        "image/class/text": tf.io.FixedLenFeature([], tf.string),
        "shardine/key": tf.io.FixedLenFeature([], tf.string),
        "shardine/id": tf.io.FixedLenFeature([], tf.int64),
    }

    def pack(self, tree: pathlib.Path,
             layout: str) -> Iterator[tuple[Sample, bytes]]:
        """(sample as listed, record as TensorFlow reads it) of each shard."""
        out = pathlib.Path(tempfile.mkdtemp(dir=self.top)) / "out"
        text = self.top / "text.tsv"
        classes = sorted(path.name for path in tree.iterdir())
        text.write_text("".join(f"{name}\tthe {name}, or so\n"
                                for name in classes))
        shardine("pack", tree, out, "--shards", 3, "--format", layout,
                 "--class-text", text)
        shardine("verify", out)
        samples = listed(out)
        files = [path for path in tree.rglob("*") if path.is_file()]
        self.assertEqual(len(samples), len(files))
        # The glob of the TPU models and of TF's own scripts.
        globbed = sorted(tf.io.gfile.glob(str(out / "train-*")))
        self.assertEqual(len(globbed), 3)
        self.assertEqual(sum(1 for _ in tf.data.TFRecordDataset(globbed)),
                         len(files))
        for shard in sorted({sample["shard"] for sample in samples}):
            records = read_records(out / shard)
            self.check_index(out / shard, records)
            here = [s for s in samples if s["shard"] == shard]
            self.assertEqual(len(here), len(records))
            yield from zip(here, records)

    def check_index(self, shard: pathlib.Path, records: list[bytes]) -> None:
        """Walks the file as DALI's tfrecord2idx does."""
        lines, at = "", 0
        for record in records:
            lines += f"{at} {len(record) + 16}\n"
            at += len(record) + 16
        index = shard.parent / ".shardine" / f"{shard.stem}.idx"
        self.assertEqual(index.read_text(), lines)

    def check_facts(self, found: dict[str, Any]) -> None:
        encoded = found["image/encoded"]
        pixels = tf.io.decode_image(encoded).numpy()
        self.assertEqual((found["image/height"], found["image/width"],
                          found["image/channels"]), pixels.shape)
        self.assertEqual(found["image/format"],
                         b"PNG" if encoded[:4] == b"\x89PNG" else b"JPEG")
        self.assertEqual(found["image/colorspace"],
                         {1: b"Grayscale", 3: b"RGB"}[pixels.shape[2]])

    def test_imagenet(self) -> None:
        for tree in photo_folders():
            for offset in (0, 1):
                layout = f"tfrecord/imagenet:label_offset={offset}"
                for sample, record in self.pack(tree, layout):
                    parsed = tf.io.parse_single_example(record, self.SPEC)
                    found = {k: v.numpy() for k, v in parsed.items()}
                    key = sample["key"]
                    folder = key.split("/")[0]
                    self.assertEqual(found["image/encoded"],
                                     (tree / key).read_bytes())
                    self.assertEqual(found["shardine/key"], key.encode())
                    self.assertEqual(found["shardine/id"], sample["id"])
                    self.assertEqual(found["image/filename"],
                                     os.path.basename(key).encode())
                    self.assertEqual(found["image/class/label"],
                                     sample["label"] + offset)
                    self.assertEqual(found["image/class/synset"],
                                     folder.encode())
                    self.assertEqual(found["image/class/text"],
                                     f"the {folder}, or so".encode())
                    self.check_facts(found)

    def test_tfds(self) -> None:
        spec = {"image": tf.io.FixedLenFeature([], tf.string),
                "label": tf.io.FixedLenFeature([], tf.int64),
                "file_name": tf.io.FixedLenFeature([], tf.string)}
        for tree in photo_folders():
            for sample, record in self.pack(tree, "tfrecord/tfds"):
                names = tf.train.Example.FromString(record).features.feature
                self.assertEqual(sorted(names), sorted(spec))
                found = tf.io.parse_single_example(record, spec)
                self.assertEqual(found["file_name"].numpy(),
                                 sample["key"].encode())
                self.assertEqual(found["label"].numpy(), sample["label"])
                self.assertEqual(found["image"].numpy(),
                                 (tree / sample["key"]).read_bytes())


class TensorflowReadsFields(Case):
    POINTS = np.arange(61 * 61 * 2, dtype="<f8").reshape(61, 61, 2) / 7

    def features(self, layout: str, samples: list[Line]) -> list[Any]:
        path = self.top / "x.tfrecord"
        self.assertEqual(write_lines(layout, path, samples), "")
        examples = [tf.train.Example.FromString(record).features.feature
                    for record in read_records(path)]
        self.assertEqual(len(examples), len(samples))
        return examples

    def box_fields(self, *boxes: Sequence[float]) -> list[Field]:
        array = np.array(boxes, dtype="<f4").reshape(-1, 4).T
        return [(BOXES + name, "<f4", (len(boxes),), side.tobytes())
                for name, side in zip(SIDES, array)]

    def test_boxes_are_native_lists(self) -> None:
        boxes = [(0.0, 0.5, 0.25, 1.0), (0.125, 0.25, 0.5, 0.75)]
        image = ("image", "|S", (), b"no picture")
        found = self.features("tfrecord/imagenet:label_offset=1", [
            (1, b"a/b.jpg", [6], b"a", b"", [image, *self.box_fields(*boxes)]),
            (2, b"a/c.jpg", [7], b"a", b"", [image, *self.box_fields()])])
        for features, label, given in zip(found, (7, 8), (boxes, [])):
            for i, side in enumerate(SIDES):
                feature = features[BOXES + side]
                self.assertEqual(feature.WhichOneof("kind"), "float_list")
                self.assertEqual(list(feature.float_list.value),
                                 [box[i] for box in given])
            self.assertEqual(
                list(features[BOXES + "label"].int64_list.value),
                [label] * len(given))
            self.assertEqual(list(features["image/class/label"]
                                  .int64_list.value), [label])
        # The input pipelines of ImageNet parse records in this way.
        record = read_records(self.top / "x.tfrecord")[0]
        parsed = tf.io.parse_single_example(record, {
            BOXES + side: tf.io.VarLenFeature(tf.float32) for side in SIDES})
        self.assertEqual(parsed[BOXES + "xmax"].values.numpy().tolist(),
                         [0.5, 0.25])

    def test_arrays_are_three_features(self) -> None:
        image = ("image", "|u1", (2, 3, 3), bytes(range(18)))
        points = ("points", "<f8", self.POINTS.shape, self.POINTS.tobytes())
        scalar = ("scale", "<f8", (), struct.pack("<d", 0.5))
        note = ("note", "|S", (), b"any \xff bytes\0")
        for layout in ("tfrecord/imagenet:label_offset=0", "tfrecord/tfds"):
            features = self.features(layout, [
                (2**64 - 1, b"k\xff", [-3], b"", b"",
                 [image, points, scalar, note])])[0]

            def array(name: str) -> NDArray[Any]:
                dtype = features[name + "/dtype"].bytes_list.value[0].decode()
                shape = list(features[name + "/shape"].int64_list.value)
                data = features[name].bytes_list.value[0]
                return np.frombuffer(data, dtype).reshape(shape)

            np.testing.assert_array_equal(array("points"), self.POINTS)
            self.assertEqual(array("points").dtype, np.dtype("<f8"))
            self.assertEqual(array("scale"), 0.5)
            self.assertEqual(array("image").shape, (2, 3, 3))
            self.assertEqual(features["note"].bytes_list.value[0],
                             b"any \xff bytes\0")
            if "imagenet" in layout:
                self.assertEqual(features["shardine/id"].int64_list.value, [-1])
                self.assertEqual(features["shardine/key"].bytes_list.value,
                                 [b"k\xff"])

    def test_labels_none_and_several(self) -> None:
        image = ("image", "|S", (), b"")
        found = self.features("tfrecord/imagenet:label_offset=1", [
            (1, b"", [], b"", b"", [image]),
            (2, b"k", [1, -5, 2**62], b"", b"", [image]), (3, b"k", [0], b"",
                                                            b"", [])])
        self.assertNotIn("image/class/label", found[0])
        self.assertNotIn("image/height", found[0])
        self.assertEqual(list(found[1]["image/class/label"].int64_list.value),
                         [2, -4, 2**62 + 1])
        self.assertNotIn("image/encoded", found[2])

    def test_names_of_any_language(self) -> None:
        name = "\u65e5\u672c/\u00e9"
        features = self.features("tfrecord/tfds", [
            (1, b"", [1], b"", b"", [(name, "|S", (), b"x")])])[0]
        self.assertEqual(features[name].bytes_list.value, [b"x"])


class WeReadTensorflow(Case):
    def imagenet(self, tree: pathlib.Path) -> Iterator[Made]:
        """(key, label, serialised example) as build_imagenet_data.py makes."""
        classes = sorted(path.name for path in tree.iterdir())
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name = path.relative_to(tree).parts[0]
            label = classes.index(name) + 1
            encoded = path.read_bytes()
            height, width, channels = tf.io.decode_image(encoded).shape
            features = {
                "image/height": ints(height), "image/width": ints(width),
                "image/colorspace": blob(b"RGB"),
                "image/channels": ints(channels),
                "image/class/label": ints(label),
                "image/class/synset": blob(name.encode()),
                "image/class/text": blob(b"text of " + name.encode()),
                "image/format": blob(b"JPEG"),
                "image/filename": blob(path.name.encode()),
                "image/encoded": blob(encoded)}
            for side in SIDES:
                features[BOXES + side] = floats(0.25, 0.75)
            features[BOXES + "label"] = ints(label, label)
            yield path, label, features

    def test_photos_plain_and_compressed(self) -> None:
        for tree in photo_folders():
            made = list(self.imagenet(tree))
            records = [example_of(f).SerializeToString() for *_, f in made]
            for kind in (None, "GZIP", "ZLIB"):
                folder = pathlib.Path(tempfile.mkdtemp(dir=self.top))
                path = folder / f"{kind}.tfrecord-00000-of-00001"
                write_records(path, records, kind)
                self.check_dataset(path, tree, made, kind is None)

    def check_dataset(self, path: pathlib.Path, tree: pathlib.Path,
                      made: list[Made],
                      streamed: bool) -> None:
        out = path.parent / "out"
        shardine("index", path, out)
        shardine("verify", out)
        samples = listed(out)
        self.assertEqual(len(samples), len(made))
        scan = Scan(path)
        self.assertIsNone(scan.error)
        for sample, found, (source, label, _) in zip(samples, scan.samples,
                                                     made):
            encoded = source.read_bytes()
            key = f"{source.relative_to(tree).parts[0]}/{source.name}"
            self.assertEqual(sample["key"], key)
            self.assertEqual(sample["labels"], [label])
            self.assertEqual(found["key"], key.encode())
            self.assertEqual(found["labels"], [label])
            self.assertEqual(found["class"][1][:8], b"text of ")
            self.assertEqual(found["fields"]["image"],
                             ("|S", (), encoded, streamed))
            sides = struct.pack("<2f", 0.25, 0.75)
            self.assertEqual(
                {k: v[:3] for k, v in found["fields"].items() if k != "image"},
                {BOXES + side: ("<f4", (2,), sides) for side in SIDES})
        if streamed:
            self.assertEqual(shardine("cat", out, samples[-1]["key"]),
                             made[-1][0].read_bytes())

    def test_conversion_there_and_back(self) -> None:
        tree = photo_folders()[0]
        made = list(self.imagenet(tree))
        path = self.top / "x.tfrecord.gz"
        write_records(path, [example_of(f).SerializeToString()
                             for *_, f in made], "GZIP")
        shardine("index", path, self.top / "a")
        shardine("convert", self.top / "a", self.top / "b",
                 "--format", "tfrecord/imagenet", "--shards", 1)
        shard, = (self.top / "b").glob("*.tfrecord")
        records = read_records(shard)
        self.assertEqual(len(records), len(made))
        for record, (source, label, features) in zip(records, made):
            found = tf.train.Example.FromString(record).features.feature
            for name in [BOXES + "label", *(BOXES + side for side in SIDES),
                         "image/encoded", "image/class/label",
                         "image/filename"]:
                self.assertEqual(found[name], features[name], name)

    def random_feature(self, draw: random.Random) -> Any:
        count = draw.choice([0, 1, 1, 1, 2, 5])
        kind = draw.randrange(4)
        if kind == 0:
            return blob(*(draw.randbytes(draw.choice([0, 1, 9, 200]))
                          for _ in range(count)))
        if kind == 1:
            return floats(*(draw.uniform(-9, 9) for _ in range(count)))
        if kind == 2:
            return ints(*(draw.choice([0, 1, -1, 127, 128, 2**63 - 1, -2**63,
                                       draw.randrange(2**40)])
                          for _ in range(count)))
        return tf.train.Feature()

    def fields_of(self, feature: Any, name: str) -> dict[str, Any]:
        """The expected field of our scanner for a feature no layout knows."""
        kind = feature.WhichOneof("kind")
        if kind == "bytes_list":
            values = list(feature.bytes_list.value)
            if len(values) == 1:
                return {name: ("|S", (), values[0])}
            return {f"{name}[{i}]": ("|S", (), value)
                    for i, value in enumerate(values)}
        if kind == "float_list":
            reals = np.array(feature.float_list.value, dtype="<f4")
            return {name: ("<f4", reals.shape, reals.tobytes())}
        if kind == "int64_list":
            whole = np.array(feature.int64_list.value, dtype="<i8")
            return {name: ("<i8", whole.shape, whole.tobytes())}
        return {}

    def check_fields(self, path: pathlib.Path,
                     examples: list[dict[str, Any]]) -> None:
        scan = Scan(path)
        self.assertIsNone(scan.error)
        self.assertEqual(len(scan.samples), len(examples))
        for sample, features in zip(scan.samples, examples):
            expected = {}
            for name, feature in features.items():
                expected.update(self.fields_of(feature, name))
            found = {name: field[:3]
                     for name, field in sample["fields"].items()}
            self.assertEqual(found, expected)

    def random_examples(self, seed: int,
                        count: int) -> Iterator[dict[str, Any]]:
        draw = random.Random(seed)
        names = ["a", "b", "name/of", "", "\u00e9", "x" * 200, "z", "imag",
                 "labels", "q/dtype", "q/shape"]
        for _ in range(count):
            yield {name: self.random_feature(draw)
                   for name in draw.sample(names, draw.randrange(len(names)))}

    def test_random_examples(self) -> None:
        examples = list(self.random_examples(1, 2000))
        records = [example_of(f).SerializeToString() for f in examples]
        for kind in (None, "GZIP", "ZLIB"):
            path = self.top / f"{kind}.tfrecord"
            write_records(path, records, kind)
            self.check_fields(path, examples)

    def unpacked_class(self) -> Any:
        """tf.train.Example, but its lists are written unpacked."""
        file = descriptor_pb2.FileDescriptorProto()
        for module in (tf.train.Feature, tf.train.Example):
            copy = descriptor_pb2.FileDescriptorProto()
            module.DESCRIPTOR.file.CopyToProto(copy)
            file.message_type.extend(copy.message_type)
        file.name, file.package, file.syntax = "u.proto", "unpacked", "proto3"
        text = file.SerializeToString()
        file.ClearField("message_type")
        file.ParseFromString(text)

        def rename(message: Any) -> None:
            for field in message.field:
                if field.type_name:
                    field.type_name = field.type_name.replace(
                        ".tensorflow.", ".unpacked.")
                if field.options.packed or field.type in (2, 3):
                    field.options.packed = False
            for nested in message.nested_type:
                rename(nested)
        for message in file.message_type:
            rename(message)
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        descriptor = pool.FindMessageTypeByName("unpacked.Example")
        return message_factory.GetMessageClass(descriptor)

    def test_unpacked_lists(self) -> None:
        unpacked = self.unpacked_class()
        examples = list(self.random_examples(2, 500))
        records = []
        longer = 0
        for features in examples:
            packed = example_of(features)
            record = unpacked.FromString(
                packed.SerializeToString()).SerializeToString()
            longer += len(record) != packed.ByteSize()
            self.assertEqual(tf.train.Example.FromString(record), packed)
            records.append(record)
        self.assertGreater(longer, 100)
        path = self.top / "x.tfrecord"
        write_records(path, records)
        self.check_fields(path, examples)

    def test_concatenated_examples(self) -> None:
        draw = random.Random(3)
        pieces = list(self.random_examples(3, 900))
        records, merged = [], []
        while pieces:
            some = [pieces.pop() for _ in range(min(draw.randrange(1, 4),
                                                    len(pieces)))]
            record = b"".join(example_of(f).SerializeToString() for f in some)
            records.append(record)
            merged.append(dict(
                tf.train.Example.FromString(record).features.feature))
        path = self.top / "x.tfrecord"
        write_records(path, records)
        self.check_fields(path, merged)

    def test_a_sequence_example_is_refused(self) -> None:
        sequence = tf.train.SequenceExample()
        sequence.feature_lists.feature_list["a"].feature.add()
        path = self.top / "x.tfrecord"
        write_records(path, [sequence.SerializeToString()])
        self.assertIn("SequenceExample", Scan(path).error or "")


class BothFindTheSameDamage(Case):
    def records_before_error(
            self, path: pathlib.Path) -> tuple[int, str] | tuple[int, None]:
        """The records that TensorFlow reads, and its error: truncated or corrupted."""
        found = 0
        try:
            for _ in tf.compat.v1.io.tf_record_iterator(str(path)):
                found += 1
        except tf.errors.DataLossError as error:
            return found, "truncated" if "truncated" in str(error) \
                else "corrupted"
        return found, None

    def check(self, contents: bytes, cut_in_header: bool = False) -> None:
        path = self.top / "x.tfrecord"
        path.write_bytes(contents)
        scan = Scan(path)
        error = scan.error and ("truncated" if "truncated" in scan.error
                                else "corrupted")
        found, theirs = self.records_before_error(path)
        # A file that ends inside a length ends cleanly for TensorFlow.
        self.assertEqual((len(scan.samples), error),
                         (found, "truncated" if cut_in_header else theirs))

    def test_cuts_and_flipped_bits(self) -> None:
        path = self.top / "whole.tfrecord"
        write_records(path, [example_of({"a": blob(b"x" * n)})
                             .SerializeToString() for n in (0, 5, 30)])
        contents = path.read_bytes()
        starts = [0]
        for record in read_records(path):
            starts.append(starts[-1] + len(record) + 16)
        self.assertEqual(starts.pop(), len(contents))
        for size in range(len(contents)):
            with self.subTest(cut=size):
                self.check(contents[:size],
                           any(0 < size - start < 12 for start in starts))
        draw = random.Random(5)
        for at in range(len(contents)):
            flipped = bytearray(contents)
            flipped[at] ^= 1 << draw.randrange(8)
            with self.subTest(flipped=at):
                self.check(bytes(flipped))


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    EXAMPLE_FILES = str(pathlib.Path(sys.argv.pop(1)).resolve())
    PHOTOS = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
