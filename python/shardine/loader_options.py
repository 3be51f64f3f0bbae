"""The options of Loader that have defaults, for callers that pass them on."""

from __future__ import annotations

from os import PathLike
from typing import (
    Any,
    Callable,
    Literal,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

from . import _core
from .keep import Keep
from .mixing import Mixing, MixPer
from .normalization import Normalization
from .samplings import Sampling
from .transforms import Transforms
from .verb_options import Filter

Order = Literal["shuffle", "blocks", "sequential", "ratio"]
Nodes = Union[int, Literal["auto"]]
LastBatch = Literal["drop", "short", "pad", "roll"]
OnBadSample = Literal["fail", "drop", "gray"]
OnUnsupported = Literal["fail", "drop"]
EntryPointTrust = Literal["trusted", "proved", "unused"]
Arrays = Literal["numpy", "torch"]
Layout = Literal["channels_last", "nhwc", "nchw"]
ArrayLayout = Literal["hwc", "chw", "bgr", "bgr-planes"]
PixelType = Literal["uint8", "float32", "float16"]
LabelType = Literal["int64", "float32", "float64"]
Raggedness = Literal["list", "offsets"]


class BucketSamples(NamedTuple):
    """A shape of batches, in pixels, and the samples that come in it."""

    height: int
    width: int
    samples: int


class LoaderOptions(TypedDict, total=False):
    """As Loader has them, but for `transform` and `batch_size`."""

    order: Order
    sampling: Optional[Sampling]
    buckets: Optional[Sequence[Tuple[int, int]]]
    seed: Optional[int]
    rank: Optional[int]
    world: Optional[int]
    last_batch: LastBatch
    views: Optional[Sequence[Transforms]]
    raw: bool
    image: str
    image_layout: ArrayLayout
    fields: Sequence[str]
    follow: Optional[Mapping[str, str]]
    mask_fill: float
    min_visible: float
    pad_to: int
    ragged: Optional[Raggedness]
    text: Sequence[str]
    threads: int
    on_bad: OnBadSample
    unsupported: OnUnsupported
    entry_points: EntryPointTrust
    prefetch: int
    readers: int
    arrays: Arrays
    pin_memory: bool
    layout: Layout
    dtype: PixelType
    mean: Tuple[float, float, float]
    std: Tuple[float, float, float]
    normalize: Optional[Normalization]
    label_dtype: Optional[LabelType]
    filter: Filter
    apply_exif: bool
    gray: bool
    block: int
    window: int
    nodes: Nodes
    fetch_bytes: int
    synthetic: bool
    trace_events: int
    callback: Optional[Callable[[_core.Batch], Any]]
    mix: Optional[Mixing]
    mix_per: MixPer
    mix_apply: bool
    one_hot: Optional[int]
    label_smoothing: float
    keep: Union[None, str, bytes, PathLike[str], Keep]


def refuse_pixel_options(**options: Tuple[Any, Any]) -> None:
    """ValueError: an option of pixels is not its default, where there are no pixels."""
    for name, (value, default) in options.items():
        if value != default:
            raise ValueError(
                f"{name}: {value!r}, but without a transform there are no pixels; "
                "what is stored stays as it is"
            )
