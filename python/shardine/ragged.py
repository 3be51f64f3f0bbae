"""Fields of a batch whose samples differ in shape, or are without them."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Optional


class Ragged(NamedTuple):
    """A field of all samples of a batch, with ragged="offsets".

    values: one axis, of the field's type: the elements of one sample after those
      of another.
    offsets: int64, one more than samples: sample i has
      values[offsets[i]:offsets[i + 1]].
    shapes: int64, samples x axes: its shape. Samples with fewer axes than others of the
    batch have 1 in the last; absent ones have 0 in all. present: bool: whether the
    sample has the field. One that has it may have no
      elements.

    >>> import numpy, shardine
    >>> with shardine.Writer("points", format="tfrecord") as writer:
    ...     writer.write({"points": numpy.ones((3, 2), "f4")})
    ...     writer.write({"points": numpy.ones((1, 2), "f4")})
    >>> loader = shardine.Loader("points", batch_size=2, fields=["points"],
    ...                          ragged="offsets", order="sequential")
    >>> points = next(iter(loader)).fields["points"]
    >>> points.values.shape, points.offsets.tolist(), points.shapes.tolist()
    ((8,), [0, 6, 8], [[3, 2], [1, 2]])
    >>> points.present.tolist(), points.sample(1), len(list(points.samples()))
    ([True, True], array([[1., 1.]], dtype=float32), 2)
    """

    values: Any
    offsets: Any
    shapes: Any
    present: Any

    def sample(self, number: int) -> Optional[Any]:
        """The array of one sample, over the memory of all; None if absent."""
        if not self.present[number]:
            return None
        begin, end = self.offsets[number : number + 2].tolist()
        return self.values[begin:end].reshape(self.shapes[number].tolist())

    def samples(self) -> Iterator[Optional[Any]]:
        """The arrays of all samples."""
        return map(self.sample, range(len(self.present)))
