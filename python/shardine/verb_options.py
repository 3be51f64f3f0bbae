"""The options of the verbs, by name and type: those of the CLI, `_` for `-`."""

from __future__ import annotations

import os
from typing import Callable, Iterable, Literal, Mapping, Optional, TypedDict, Union

from .outcome import Progress

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
# One folder, or that of each split.
Source = Union[Path, Mapping[str, Path]]
# One dataset or shard file, several, or those of each split.
Shards = Union[Path, Iterable[Path], Mapping[str, Union[Path, Iterable[Path]]]]
Size = Union[int, str]  # bytes, or "256M"
Progressing = Union[None, bool, Callable[[Progress], object]]

OnBad = Literal["fail", "skip", "quarantine", "keep"]
Check = Literal["none", "header", "decode"]
EmptyClasses = Literal["refuse", "keep", "drop"]
EntryPoints = Literal["auto", "none"]
Encoding = Literal["jpeg", "png"]
Subsampling = Literal["420", "444"]
Filter = Literal["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
Color = Literal["keep", "color", "gray"]
Exif = Literal["ignore", "apply"]
Level = Literal["quick", "full", "deep"]
Pixels = Literal["rgb", "bgr", "gray"]
By = Literal["key", "id", "position"]
Names = Literal["key", "id", "class/id"]
To = Literal["tree", "shards"]
Preset = Literal["imagenet18"]


class RunOptions(TypedDict, total=False):
    """Of all verbs that take a while."""

    jobs: int
    progress: Progressing


class RecordOptions(RunOptions, total=False):
    """Of all verbs that write records."""

    lossy_labels: bool


class SourceOptions(TypedDict, total=False):
    """What becomes of images on their way from a folder."""

    list: Path
    list_root: Path
    label_map: Path
    label_offset: int
    blacklist: Path
    val_labels: Path
    unlabelled: bool
    class_text: Path
    bounding_boxes: Path
    min_per_class: int
    empty_classes: EmptyClasses
    unite_classes: bool
    numbered_classes: bool
    hold_out: int
    split: Union[str, Mapping[str, float]]


class ImageOptions(TypedDict, total=False):
    """How images at other sizes are made."""

    encoding: Encoding
    quality: int
    subsampling: Subsampling
    optimize: bool
    png_level: int
    filter: Filter
    center_crop: bool
    color: Color
    upscale: bool
    exif: Exif
    keep_icc: bool


class PackOptions(SourceOptions, ImageOptions, RecordOptions, total=False):
    """Of pack and plan_pack."""

    format: str
    shards: int
    shard_size: Size
    seed: int
    shuffle: bool
    suffix: bool
    on_bad: OnBad
    check: Check
    entry_points: EntryPoints
    variants: Union[str, Iterable[str]]
    space_check: bool
    replace: bool


class VerifyOptions(RunOptions, total=False):
    """Of verify."""

    level: Level
    against: Optional[Source]
    list: Path
    list_root: Path


class ConvertOptions(RecordOptions, total=False):
    """Of convert."""

    split: Union[str, Iterable[str], Mapping[str, float]]
    hold_out: int
    seed: int
    where: str
    label_map: Path
    limit: int
    prefix: str
    fields: Union[str, Iterable[str]]
    class_names: Path
    format: str
    shards: int
    shard_size: Size
    reshuffle: Optional[int]
    suffix: bool
    strict: bool
    pixels: Optional[Pixels]
    on_bad: OnBad
    entry_points: EntryPoints
    space_check: bool
    replace: bool


class IndexOptions(RunOptions, total=False):
    """Of index."""

    split: Optional[str]
    class_names: Path
    list: Path
    list_by: By
    format: str


class MergeOptions(RecordOptions, total=False):
    """Of merge."""

    prefix: str
    format: str
    entry_points: EntryPoints
    space_check: bool
    replace: bool


class RelabelOptions(RecordOptions, total=False):
    """Of relabel."""

    by: By
    entry_points: EntryPoints
    space_check: bool


class ReindexOptions(RunOptions, total=False):
    """Of reindex."""

    entry_points: EntryPoints


class NativeOptions(TypedDict, total=False):
    """Of reindex(native=True)."""

    replace: bool


class ResizeOptions(SourceOptions, ImageOptions, RecordOptions, total=False):
    """Of resize."""

    short_side: Union[int, str, Iterable[int]]
    preset: Optional[Preset]
    on_bad: OnBad
    format: str
    shards: int
    shard_size: Size
    seed: int
    shuffle: bool
    entry_points: EntryPoints
    replace: bool


class ScanOptions(RunOptions, total=False):
    """Of scan."""

    check: Literal["header", "decode"]


class DiffOptions(TypedDict, total=False):
    """Of diff."""

    limit: Optional[int]
    progress: Progressing


class ExtractOptions(TypedDict, total=False):
    """Of extract."""

    names: Names
    overwrite: bool
    progress: Progressing


class DoctorOptions(RunOptions, total=False):
    """Of doctor."""

    split: str
