"""from_arrays.py IMAGES LABELS OUT: NumPy arrays, as CIFAR's, become shards.

IMAGES.npy is uint8, n x height x width x 3, and LABELS.npy n integers. Pixels are
kept as arrays: nothing is encoded, and nothing has to be decoded."""

import sys

import numpy

import shardine


def main(images: str, labels: str, out: str) -> None:
    pixels = numpy.load(images, mmap_mode="r")
    with shardine.Writer(out, format="tfrecord", image_format="array") as writer:
        for image, label in zip(pixels, numpy.load(labels).tolist()):
            writer.write({"image": image, "label": label})
    print(writer.result)


if __name__ == "__main__":
    main(*sys.argv[1:])
