"""Image datasets in shards, streamed into training batches.

    loader = shardine.Loader("photos-packed", batch_size=64,
                             transform=shardine.RandomResizedCrop(224))
    for batch in loader:
        train(batch.images, batch.labels)
"""

from ._core import Batch, LoaderStats, RemoteStats, StageStats
from ._core import version as __version__
from .affine_operations import Affine, RandomAffine, RandomRotation
from .augmentation_policies import AutoAugment, RandAugment, TrivialAugmentWide
from .audit_results import AuditResult
from .card_results import CardResult
from .dataset import Dataset
from .dataset_results import DatasetInfo, DiffResult, ExtractResult, ListedSample
from .dataset_results import NativeIndex, ReindexResult
from .dataset_verbs import (
    audit,
    card,
    cat,
    diff,
    export,
    extract,
    info,
    ls,
    merge,
    reindex,
    relabel,
    report,
)
from .diagnosis import doctor
from .doctor_results import DoctorResult
from .engines import DistributeResult, TaskFailed, TaskProgress, distribute
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
from .image_record_iter import ImageRecordBatch, ImageRecordIter
from .image_record_operations import (
    ImageRecordCrop,
    ImageRecordJitter,
    ImageRecordNormalize,
    PCANoise,
    RandomHLS,
)
from .image_record_transform import image_record_transform
from .keep import Keep
from .loader import Loader
from .mix import Mix
from .mixing import CutMix, MixedLabels, MixFactors, MixUp
from .outcome import Progress
from .parts import join
from .phases import Phase, PhasedLoader
from .pixel_operations import (
    ColorJitter,
    Cutout,
    GaussianBlur,
    Lighting,
    RandomAdjustSharpness,
    RandomAutocontrast,
    RandomEqualize,
    RandomErasing,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomInvert,
    RandomPosterize,
    RandomSolarize,
    RandomVerticalFlip,
)
from .plots import Plot
from .presets import EvalLoader, TrainLoader
from .ragged import Ragged
from .report_results import ReportResult
from .sample import Sample
from .samplings import ClassBalanced, Episodes, Repeated, Weighted
from .schedules import Schedule, Validation
from .selection import Selection
from .server_options import remote_options, set_remote_options
from .transforms import (
    CenterCrop,
    Compose,
    FixedCrop,
    RandomCrop,
    RandomResizedCrop,
    RectVal,
    Resize,
)
from .verb_results import (
    Finding,
    PackPlan,
    PackResult,
    ResizeResult,
    ScanResult,
    VerifyResult,
)
from .verbs import (
    convert,
    index,
    pack,
    plan_pack,
    resize,
    scan,
    shuffle,
    split,
    verify,
)
from .writer import Writer, Written

__all__ = [
    "Affine",
    "AuditResult",
    "AutoAugment",
    "Batch",
    "CancelledError",
    "CardResult",
    "CenterCrop",
    "ChangedError",
    "ClassBalanced",
    "ColorJitter",
    "Compose",
    "CorruptError",
    "CutMix",
    "Cutout",
    "Dataset",
    "DatasetInfo",
    "DiffResult",
    "DistributeResult",
    "DoctorResult",
    "Episodes",
    "EvalLoader",
    "ExistsError",
    "ExtractResult",
    "Finding",
    "FixedCrop",
    "GaussianBlur",
    "ImageRecordBatch",
    "ImageRecordCrop",
    "ImageRecordIter",
    "ImageRecordJitter",
    "ImageRecordNormalize",
    "InvalidArgumentError",
    "Keep",
    "Lighting",
    "ListedSample",
    "Loader",
    "LoaderStats",
    "Mix",
    "MixFactors",
    "MixUp",
    "MixedLabels",
    "NativeIndex",
    "NotFoundError",
    "PCANoise",
    "PackPlan",
    "PackResult",
    "Phase",
    "PhasedLoader",
    "Plot",
    "Progress",
    "Ragged",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomAutocontrast",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHLS",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomPosterize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSolarize",
    "RandomVerticalFlip",
    "RectVal",
    "ReindexResult",
    "RemoteError",
    "RemoteStats",
    "Repeated",
    "ReportResult",
    "Resize",
    "ResizeResult",
    "Sample",
    "ScanResult",
    "Schedule",
    "Selection",
    "ShardineError",
    "StageStats",
    "StorageError",
    "TaskFailed",
    "TaskProgress",
    "TrainLoader",
    "TrivialAugmentWide",
    "UnsupportedError",
    "Validation",
    "VerifyResult",
    "Weighted",
    "Writer",
    "Written",
    "__version__",
    "audit",
    "card",
    "cat",
    "convert",
    "diff",
    "distribute",
    "doctor",
    "export",
    "extract",
    "image_record_transform",
    "index",
    "info",
    "join",
    "ls",
    "merge",
    "pack",
    "plan_pack",
    "reindex",
    "relabel",
    "remote_options",
    "report",
    "resize",
    "scan",
    "set_remote_options",
    "shuffle",
    "split",
    "verify",
]


def __dir__() -> list[str]:
    """Completion offers the public names; modules are private."""
    return [*__all__]
