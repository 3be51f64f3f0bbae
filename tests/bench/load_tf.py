#!/usr/bin/env python3
"""load_tf.py TFRECORD SIZE SECONDS

tf.data on two threads: random crops, flipped, resampled to SIZE without
antialiasing (with it TensorFlow takes 1.6 times as long), batches of 64 uint8,
the autotuner off, whose sleeps cost more than they gain. Prints
{"images", "seconds", "cpu_seconds", "mean"} of the epochs behind the first.
"""
import json
import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(2)
FEATURES = {"image/encoded": tf.io.FixedLenFeature([], tf.string),
            "image/class/label": tf.io.FixedLenFeature([], tf.int64)}


def sample(record, size):
    parsed = tf.io.parse_single_example(record, FEATURES)
    jpeg = parsed["image/encoded"]
    begin, shape, _ = tf.image.sample_distorted_bounding_box(
        tf.image.extract_jpeg_shape(jpeg), tf.zeros([1, 0, 4]),
        min_object_covered=0.0, aspect_ratio_range=(3 / 4, 4 / 3),
        area_range=(0.08, 1.0), max_attempts=10, use_image_if_no_bounding_boxes=True)
    y, x, _ = tf.unstack(begin)
    height, width, _ = tf.unstack(shape)
    image = tf.image.decode_and_crop_jpeg(jpeg, tf.stack([y, x, height, width]),
                                          channels=3, dct_method="INTEGER_ACCURATE")
    image = tf.image.resize(image, [size, size], "bilinear")
    image = tf.image.random_flip_left_right(image)
    return tf.cast(tf.round(image), tf.uint8), parsed["image/class/label"]


def main():
    path, size, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    options.threading.max_intra_op_parallelism = 1
    options.autotune.enabled = False
    dataset = (tf.data.TFRecordDataset(path).shuffle(256)
               .map(lambda record: sample(record, size), num_parallel_calls=2)
               .batch(64).prefetch(2).with_options(options))
    for _ in dataset:  # the first epoch warms everything
        pass
    images, total = 0, 0.0
    begin, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - begin < seconds:
        for pixels, _ in dataset:
            batch = pixels.numpy()
            images += len(batch)
            total += float(batch.mean()) * len(batch)
    print(json.dumps({"images": images, "seconds": time.perf_counter() - begin,
                      "cpu_seconds": time.process_time() - cpu,
                      "mean": total / images}))


if __name__ == "__main__":
    main()
