"""Image datasets in shards, streamed into training batches.

    loader = shardine.Loader("photos-packed", batch_size=64,
                             transform=shardine.RandomResizedCrop(224))
    for batch in loader:
        train(batch.images, batch.labels)
"""

from ._core import Batch, LoaderStats, StageStats
from ._core import version as __version__
from .dataset import Dataset, Sample
from .errors import (
    CancelledError,
    ChangedError,
    CorruptError,
    ExistsError,
    InvalidArgumentError,
    NotFoundError,
    RemoteError,
    ShardineError,
    StorageError,
    UnsupportedError,
)
from .loader import Loader
from .phases import Phase, PhasedLoader
from .ragged import Ragged
from .schedules import Schedule, Validation
from .transforms import (
    CenterCrop,
    FixedCrop,
    RandomResizedCrop,
    RectVal,
    Resize,
)
from .writer import Writer, Written

__all__ = [
    "Batch",
    "CancelledError",
    "CenterCrop",
    "ChangedError",
    "CorruptError",
    "Dataset",
    "ExistsError",
    "FixedCrop",
    "InvalidArgumentError",
    "Loader",
    "LoaderStats",
    "NotFoundError",
    "Phase",
    "PhasedLoader",
    "Ragged",
    "RandomResizedCrop",
    "RectVal",
    "RemoteError",
    "Resize",
    "Sample",
    "Schedule",
    "ShardineError",
    "StageStats",
    "StorageError",
    "UnsupportedError",
    "Validation",
    "Writer",
    "Written",
    "__version__",
]
