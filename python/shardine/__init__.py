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
from .verb_results import (
    DatasetInfo,
    Finding,
    ListedSample,
    PackPlan,
    PackResult,
    Progress,
    VerifyResult,
)
from .verbs import convert, index, info, ls, pack, plan_pack, verify
from .writer import Writer, Written

__all__ = [
    "Batch",
    "CancelledError",
    "CenterCrop",
    "ChangedError",
    "CorruptError",
    "Dataset",
    "DatasetInfo",
    "ExistsError",
    "Finding",
    "FixedCrop",
    "InvalidArgumentError",
    "ListedSample",
    "Loader",
    "LoaderStats",
    "NotFoundError",
    "PackPlan",
    "PackResult",
    "Phase",
    "PhasedLoader",
    "Progress",
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
    "VerifyResult",
    "Writer",
    "Written",
    "__version__",
    "convert",
    "index",
    "info",
    "ls",
    "pack",
    "plan_pack",
    "verify",
]
