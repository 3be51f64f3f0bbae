"""Writes the golden files of this folder with TensorFlow's own writer.

Usage: "$(sh tests/interop/venv.sh tensorflow)" testdata/golden/tfrecord/make.py
"""

import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy  # noqa: E402
import tensorflow as tf  # noqa: E402

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Elsewhere, Expected  # noqa: E402

BOXES = "image/object/bbox/"


def blob(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def image_of_imagenet(encoded, label, synset, text, boxes=()):
    """What build_imagenet_data.py writes."""
    sides = zip(*boxes) if boxes else [()] * 4
    features = {
        "image/height": ints(3), "image/width": ints(5),
        "image/colorspace": blob(b"RGB"), "image/channels": ints(3),
        "image/class/label": ints(label), "image/class/synset": blob(synset),
        "image/class/text": blob(text), "image/format": blob(b"JPEG"),
        "image/filename": blob(synset + b"_7.JPEG"),
        "image/encoded": blob(encoded),
        BOXES + "label": ints(*[label] * len(boxes)),
    }
    for name, side in zip(("xmin", "xmax", "ymin", "ymax"), sides):
        features[BOXES + name] = floats(*side)
    return features


IMAGENET = [
    image_of_imagenet(b"jpeg one", 1, b"n01440764", b"tench, Tinca tinca"),
    image_of_imagenet(b"", 1000, b"n15075141", b"toilet tissue",
                      [(0.25, 0.5, 0.125, 1.0)]),
    image_of_imagenet(b"jpeg\xff\xd8 three", 7, b"n01514668", b"cock",
                      [(0.0, 1.0, 0.0, 1.0), (0.5, 0.75, 0.25, 0.375)]),
]
TFDS = [
    {"image": blob(b"first"), "label": ints(0),
     "file_name": blob(b"n01440764_10026.JPEG")},
    {"image": blob(b"of the test split"), "label": ints(-1),
     "file_name": blob("\u00e9t\u00e9.png".encode())},
]
# What no layout knows.
OTHER = [
    {"none": tf.train.Feature(), "no bytes": blob(), "no floats": floats(),
     "no ints": ints(), "": blob(b"a nameless one")},
    {"three": blob(b"a", b"", b"ccc"), "floats": floats(1.5, -2.0, 3e38),
     "ints": ints(0, 1, -1, 2**63 - 1, -2**63, 300), "one": ints(5),
     "\u65e5\u672c": floats(0.5)},
    {"image/height": ints(2), "image/raw": blob(bytes(range(12))),
     "image/raw/dtype": blob(b"|u1"), "image/raw/shape": ints(2, 2, 3)},
    {},
]



def box_fields(*boxes):
    sides = zip(*boxes) if boxes else [()] * 4
    return {BOXES + name: numpy.array(side, "<f4")
            for name, side in zip(("xmin", "xmax", "ymin", "ymax"), sides)}


def numbers(*values):
    """Written as varints, so not as an array's bytes."""
    return Elsewhere(numpy.array(values, "<i8"))


# file: one dict of what Expected.sample takes per record.
imagenet = [
    dict(key="n01440764/n01440764_7.JPEG", labels=[1], class_name="n01440764",
         class_text="tench, Tinca tinca",
         fields={"image": b"jpeg one", **box_fields()}),
    dict(key="n15075141/n15075141_7.JPEG", labels=[1000],
         class_name="n15075141", class_text="toilet tissue",
         fields={"image": b"", **box_fields((0.25, 0.5, 0.125, 1.0))}),
    dict(key="n01514668/n01514668_7.JPEG", labels=[7], class_name="n01514668",
         class_text="cock", fields={"image": b"jpeg\xff\xd8 three", **box_fields(
             (0.0, 1.0, 0.0, 1.0), (0.5, 0.75, 0.25, 0.375))}),
]
EXPECTED = {
    "imagenet.tfrecord": imagenet,
    "tfds.tfrecord": [
        dict(key="n01440764_10026.JPEG", labels=[0],
             fields={"image": b"first"}),
        dict(key="\u00e9t\u00e9.png", labels=[-1],
             fields={"image": b"of the test split"}),
    ],
    "other.tfrecord": [
        dict(fields={"": b"a nameless one",
                     "no floats": numpy.array([], "<f4"),
                     "no ints": numbers()}),
        dict(fields={
            "floats": numpy.array([1.5, -2.0, 3e38], "<f4"),
            "ints": numbers(0, 1, -1, 2**63 - 1, -2**63, 300),
            "one": numbers(5),
            "three[0]": b"a", "three[1]": b"", "three[2]": b"ccc",
            "\u65e5\u672c": numpy.array([0.5], "<f4")}),
        dict(fields={
            "image/height": numbers(2),
            "image/raw": numpy.arange(12, dtype="|u1").reshape(2, 2, 3)}),
        dict(),
    ],
}
# Nothing lies in these as such.
for suffix in (".gz", ".zlib"):
    EXPECTED["imagenet.tfrecord" + suffix] = [
        dict(record, fields={name: Elsewhere(value) for name, value
                             in record["fields"].items()})
        for record in imagenet]


def write(name, records, compression):
    path = str(HERE / name)
    with tf.io.TFRecordWriter(path, options=compression) as writer:
        for features in records:
            example = tf.train.Example(
                features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString(deterministic=True))


def write_expected():
    expected = Expected(HERE)
    for name, records in EXPECTED.items():
        expected.layout(name, "tfrecord/tfds" if name == "tfds.tfrecord" else
                        "tfrecord/imagenet:label_offset=0")
        for record in records:
            expected.sample(name, **record)
    expected.write()


write("imagenet.tfrecord", IMAGENET, None)
write("imagenet.tfrecord.gz", IMAGENET, "GZIP")
write("imagenet.tfrecord.zlib", IMAGENET, "ZLIB")
write("tfds.tfrecord", TFDS, None)
write("other.tfrecord", OTHER, None)
write_expected()
