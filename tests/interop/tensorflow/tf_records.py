"""Examples and files of them, made and read by TensorFlow."""

import os
import pathlib
from collections.abc import Iterable
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf  # noqa: E402


def blob(*values: bytes) -> Any:
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def floats(*values: float) -> Any:
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def ints(*values: int) -> Any:
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example_of(features: dict[str, Any]) -> Any:
    return tf.train.Example(features=tf.train.Features(feature=features))


def write_records(path: pathlib.Path, records: Iterable[bytes],
                  compression: str | None = None) -> None:
    with tf.io.TFRecordWriter(str(path), options=compression) as writer:
        for record in records:
            writer.write(record)


def read_records(*paths: pathlib.Path) -> list[bytes]:
    dataset = tf.data.TFRecordDataset([str(path) for path in paths])
    return list(dataset.as_numpy_iterator())
