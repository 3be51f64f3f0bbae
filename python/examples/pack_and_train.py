"""pack_and_train.py TREE OUT: a folder of classes of images is packed, and a linear
model of NumPy's learns their classes. No framework is needed."""

import sys

import numpy

import shardine

EPOCHS, SIDE, RATE = 3, 32, 0.05


def main(tree: str, out: str) -> None:
    packed = shardine.pack(tree, out, variants="original,sz/160")
    dataset = shardine.Dataset(out, variant="sz/160")
    loader = shardine.TrainLoader(
        dataset, batch_size=8, seed=1, dtype="float32", normalize="imagenet",
        transform=shardine.RandomResizedCrop(SIDE, scale=(0.35, 1.0)), layout="nchw")
    weights = numpy.zeros((3 * SIDE * SIDE, packed.classes), "f4")
    for epoch in range(EPOCHS):
        right = total = 0
        for images, labels in loader:
            inputs = images.reshape(len(images), -1)
            scores = inputs @ weights
            chances = numpy.exp(scores - scores.max(1, keepdims=True))
            chances /= chances.sum(1, keepdims=True)
            right += int((scores.argmax(1) == labels).sum())
            total += len(labels)
            chances[numpy.arange(len(labels)), labels] -= 1
            weights -= RATE / len(labels) * inputs.T @ chances
        print(f"epoch {epoch}: {right} of {total}")


if __name__ == "__main__":
    main(*sys.argv[1:])
