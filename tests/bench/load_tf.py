#!/usr/bin/env python3
"""load_tf.py TFRECORD SIZE SECONDS accurate|fast: tf.data, see load_loop.py.
accurate: the IDCT of all others but FFCV, fast: its default. Without antialiasing
(with it TensorFlow takes 1.6 times as long), the autotuner off, whose sleeps cost
more than they gain."""
import os
from collections.abc import Callable, Iterator
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402

from load_loop import AREA, BATCH, RATIO, Epoch, run_loader  # noqa: E402

IDCT = {"accurate": "INTEGER_ACCURATE", "fast": ""}
FEATURES = {"image/encoded": tf.io.FixedLenFeature([], tf.string),
            "image/class/label": tf.io.FixedLenFeature([], tf.int64)}


def cropped(record: Any, size: int, idct: str) -> tuple[Any, Any]:
    """An image of floats, 0 to 255, and its label."""
    parsed = tf.io.parse_single_example(record, FEATURES)
    jpeg = parsed["image/encoded"]
    begin, shape, _ = tf.image.sample_distorted_bounding_box(
        tf.image.extract_jpeg_shape(jpeg), tf.zeros([1, 0, 4]),
        min_object_covered=0.0, aspect_ratio_range=RATIO, area_range=AREA,
        max_attempts=10, use_image_if_no_bounding_boxes=True)
    y, x, _ = tf.unstack(begin)
    height, width, _ = tf.unstack(shape)
    image = tf.image.decode_and_crop_jpeg(jpeg, tf.stack([y, x, height, width]),
                                          channels=3, dct_method=idct)
    image = tf.image.resize(image, [size, size], "bilinear")
    return tf.image.random_flip_left_right(image), parsed["image/class/label"]


def sample(record: Any, size: int, idct: str) -> tuple[Any, Any]:
    image, label = cropped(record, size, idct)
    return tf.cast(tf.round(image), tf.uint8), label


def epochs_of(path: str, map_record: Callable[[Any], Any]) -> Epoch:
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(2)
    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    options.threading.max_intra_op_parallelism = 1
    options.autotune.enabled = False
    dataset = (tf.data.TFRecordDataset(path).shuffle(256)
               .map(map_record, num_parallel_calls=2)
               .batch(BATCH).prefetch(2).with_options(options))

    def epoch() -> Iterator[Any]:
        for images, _ in dataset:
            yield images.numpy()
    return epoch


def make(path: str, size: int, mode: str) -> Epoch:
    return epochs_of(path, lambda record: sample(record, size, IDCT[mode]))


if __name__ == "__main__":
    run_loader(make, tf.__version__)
