"""What shardine is made of; use the package shardine instead."""

from collections.abc import Sequence
from typing import Any

import numpy


version: str = '0.1.0'

class RandomResizedCrop:
    def __init__(self, width: int, height: int, min_scale: float, max_scale: float, min_ratio: float, max_ratio: float, flip: float) -> None: ...

class CenterCrop:
    def __init__(self, width: int, height: int, resize: int) -> None: ...

class Resize:
    def __init__(self, width: int, height: int) -> None: ...

class FixedCrop:
    def __init__(self, x: int, y: int, box_width: int, box_height: int, width: int, height: int) -> None: ...

class RectVal:
    def __init__(self, size: int) -> None: ...

class StageStats:
    """Sums over the threads of a stage; in seconds."""

    @property
    def name(self) -> str: ...

    @property
    def items(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def busy(self) -> float: ...

    @property
    def waiting_for_input(self) -> float: ...

    @property
    def waiting_for_output(self) -> float: ...

    @property
    def p50(self) -> float: ...

    @property
    def p95(self) -> float: ...

    @property
    def p99(self) -> float: ...

class LoaderStats:
    """What each stage did and waited for."""

    @property
    def seconds(self) -> float: ...

    @property
    def batches(self) -> int: ...

    @property
    def images(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def bad(self) -> int: ...

    @property
    def waiting_for_data(self) -> float: ...

    @property
    def stages(self) -> list[StageStats]: ...

    @property
    def images_per_second(self) -> float: ...

    @property
    def megabytes_per_second(self) -> float: ...

    @property
    def bottleneck(self) -> str: ...

    def __repr__(self) -> str: ...

class DatasetOptions:
    def __init__(self, split: str, variant: str, labels: bytes) -> None: ...

class DatasetClass:
    @property
    def name(self) -> bytes: ...

    @property
    def label(self) -> int: ...

class Dataset:
    @staticmethod
    def open(path: bytes, options: DatasetOptions) -> Dataset: ...

    @staticmethod
    def open_shards(shards: Sequence[bytes], options: DatasetOptions) -> Dataset: ...

    def __len__(self) -> int: ...

    def read(self, position: int) -> tuple: ...

    def key(self, position: int) -> bytes: ...

    @property
    def split(self) -> str: ...

    @property
    def variant(self) -> str: ...

    @property
    def classes(self) -> list[DatasetClass]: ...

    @property
    def order_digest(self) -> str: ...

    @property
    def warnings(self) -> list[str]: ...

class Record:
    pass

class Batch:
    """
    Samples of one step, in memory that stays valid as long as the batch or an array of it lives.
    """

    def __len__(self) -> int: ...

    @property
    def images(self) -> Any:
        """
        The pixels, as layout and dtype of the loader say; with raw=True a list of memoryviews, one for each image.
        """

    @property
    def labels(self) -> numpy.ndarray:
        """One for each sample, or a row of them; of label_dtype."""

    @property
    def ids(self) -> numpy.ndarray:
        """int64."""

    @property
    def positions(self) -> numpy.ndarray:
        """int64: where in the dataset, as dataset[position]."""

    @property
    def boxes(self) -> numpy.ndarray:
        """
        int32, n x 5: x, y, width, height of the part that was used, in pixels of the image, and 1 if it was flipped. 0 x 5 with raw=True.
        """

    @property
    def bad(self) -> numpy.ndarray:
        """bool: gray because it could not be read or decoded."""

    @property
    def keys(self) -> list[bytes]:
        """Read when asked for."""

    @property
    def padding(self) -> int:
        """So many samples at the end were delivered before; of last_batch="pad"."""

    @property
    def epoch(self) -> int: ...

class Loader:
    def __init__(self, dataset: Dataset, *, batch_size: int, order: str, block: int, window: int, seed: int, rank: int, world: int, last_batch: str, transform: RandomResizedCrop | CenterCrop | Resize | FixedCrop | RectVal | None, layout: str, dtype: str, mean: Sequence[float], std: Sequence[float], filter: str, apply_exif: bool, label_dtype: str, on_bad: str, threads: int, prefetch: int) -> None: ...

    def next(self) -> Batch | None: ...

    def set_epoch(self, epoch: int) -> None: ...

    def set_state(self, order_digest: str, seed: int, epoch: int, position: int) -> None: ...

    def state(self) -> dict: ...

    def stop(self) -> None: ...

    def stats(self) -> LoaderStats: ...

    @property
    def steps_left(self) -> int: ...

    def steps_of(self, epoch: int) -> int: ...

    @property
    def epoch(self) -> int: ...
