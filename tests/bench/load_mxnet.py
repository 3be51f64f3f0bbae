#!/usr/bin/env python3
"""load_mxnet.py RECORDIO SIZE SECONDS: MXNet's ImageRecordUInt8Iter, see
load_loop.py. It takes no more threads than half the processors, so that on two it
has to be told of four."""
import os
from collections.abc import Iterator
from typing import Any

import numpy

# Which this MXNet still uses.
numpy.bool = bool  # type: ignore[misc, assignment]
import mxnet  # noqa: E402

from load_loop import AREA, BATCH, RATIO, Epoch, run_loader  # noqa: E402


def make(shard: str, size: int) -> Epoch:
    batches = mxnet.io.ImageRecordUInt8Iter(
        path_imgrec=shard, path_imgidx=os.path.splitext(shard)[0] + ".idx",
        data_shape=(3, size, size), batch_size=BATCH, shuffle=True, preprocess_threads=2,
        random_resized_crop=True, min_random_area=AREA[0], max_random_area=AREA[1],
        min_aspect_ratio=RATIO[0], max_aspect_ratio=RATIO[1], rand_mirror=True)

    def epoch() -> Iterator[Any]:
        for batch in batches:
            yield batch.data[0].asnumpy()
        batches.reset()
    return epoch


if __name__ == "__main__":
    run_loader(make, mxnet.__version__)
