#!/usr/bin/env python3
"""augment_tf.py TFRECORD SIZE SECONDS PIPELINE: tf.data with its default IDCT, see
load_tf.py, load_loop.py and augment_loop.py; colours by tf.image, in one order, on
the floats that resizing makes. It has no RandAugment."""
import math
from typing import Any

from augment_loop import ERASED, FACTORS, HUE, SCALE, SHAPES
from load_loop import Epoch, run_loader
from load_tf import IDCT, cropped, epochs_of  # before tensorflow, which it silences
import tensorflow as tf


def jittered(image: Any) -> Any:
    """Jitters an image of values 0 to 1."""
    low, high = 1 - FACTORS, 1 + FACTORS
    image = tf.clip_by_value(image * tf.random.uniform([], low, high), 0, 1)
    image = tf.clip_by_value(tf.image.random_contrast(image, low, high), 0, 1)
    image = tf.clip_by_value(tf.image.random_saturation(image, low, high), 0, 1)
    return tf.image.random_hue(image, HUE)


def erased(image: Any, size: int) -> Any:
    area = tf.random.uniform([], *SCALE) * size * size
    shape = tf.exp(tf.random.uniform([], *map(math.log, SHAPES)))
    sides = tf.cast(tf.round(tf.sqrt([area * shape, area / shape])), tf.int32)
    sides = tf.minimum(sides, size - 1)
    begin = tf.cast(tf.random.uniform([2]) * tf.cast(size - sides + 1, tf.float32), tf.int32)
    rows, columns = (tf.logical_and(tf.range(size) >= begin[i],
                                    tf.range(size) < begin[i] + sides[i]) for i in (0, 1))
    box = tf.logical_and(rows[:, None], columns[None, :])
    return tf.where(box[..., None], 0.0, image)


def sample(record: Any, size: int, pipeline: str) -> tuple[Any, Any]:
    image, label = cropped(record, size, IDCT["fast"])
    if pipeline != "crop":
        image = jittered(image / 255) * 255
    if pipeline == "erasing":
        image = tf.cond(tf.random.uniform([]) < ERASED, lambda: erased(image, size), lambda: image)
    return tf.cast(tf.round(image), tf.uint8), label


def make(path: str, size: int, pipeline: str) -> Epoch:
    return epochs_of(path, lambda record: sample(record, size, pipeline))


if __name__ == "__main__":
    run_loader(make, tf.__version__)
