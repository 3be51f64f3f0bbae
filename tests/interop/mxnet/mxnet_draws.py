"""The draws of MXNet's augmenter for the first image of a batch, given seed_aug: a
Mersenne twister and libstdc++'s distributions, as of GCC before 11."""

import math

import numpy

MAGIC = 111  # kRandMagic of src/io/iter_image_recordio_2.cc


class MxnetDraws:
    """Call the same draws as the augmenter, in its order."""

    def __init__(self, seed_aug: int) -> None:
        # Its numbers are those of std::mt19937 of the same seed.
        self._twister = numpy.random.RandomState(seed_aug + MAGIC)

    def _word(self) -> int:
        return int(self._twister.randint(0, 1 << 32, dtype=numpy.uint32))

    def uniform(self, low: float = 0, high: float = 1) -> numpy.float32:
        """std::uniform_real_distribution<float>."""
        share = numpy.float32(self._word()) / numpy.float32(1 << 32)
        first, last = numpy.float32(low), numpy.float32(high)
        return numpy.float32(share * (last - first) + first)

    def whole(self, low: int, high: int) -> int:
        """std::uniform_int_distribution."""
        count = high - low + 1
        scaling = ((1 << 32) - 1) // count
        while (word := self._word()) >= count * scaling:
            pass
        return low + word // scaling

    def coin(self) -> bool:
        """std::bernoulli_distribution(0.5)."""
        low, high = self._word(), self._word()
        return (low + high * 2.0**32) / 2.0**64 < 0.5

    def normals(self, deviation: float, count: int) -> list[numpy.float32]:
        """std::normal_distribution<float>, by Marsaglia's polar method."""
        made: list[numpy.float32] = []
        one, two = numpy.float32(1), numpy.float32(2)
        while len(made) < count:
            x, y = two * self.uniform() - one, two * self.uniform() - one
            square = x * x + y * y
            if square > 1 or square == 0:
                continue
            factor = numpy.float32(math.sqrt(-2 * math.log(square) / square))
            made += [y * factor, x * factor]
        return [numpy.float32(value * numpy.float32(deviation))
                for value in made[:count]]
