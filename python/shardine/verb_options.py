"""The options of the verbs, by name and type: as in the CLI, `_` for `-`.

None is as good as an option that is not given.
"""

from __future__ import annotations

import os
from typing import Callable, Iterable, Literal, Mapping, Optional, TypedDict, Union

from .outcome import Progress

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
# One folder, or each split's.
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
PassOrder = Literal["pillow13", "pillow12"]
Color = Literal["keep", "color", "gray"]
Exif = Literal["ignore", "apply"]
Level = Literal["quick", "full", "deep"]
Pixels = Literal["rgb", "bgr", "gray"]
By = Literal["key", "id", "position"]
Names = Literal["key", "id", "class/id"]
To = Literal["tree", "shards"]
Preset = Literal["imagenet18"]


class RunOptions(TypedDict, total=False):
    """Options of all verbs that take a while."""

    jobs: Optional[int]
    progress: Progressing


class DiffOptions(TypedDict, total=False):
    """Options of diff."""

    limit: Optional[int]
    progress: Progressing


class NativeOptions(TypedDict, total=False):
    """Options of reindex(native=True)."""

    replace: Optional[bool]


# The library describes the options from here on; tools/check/option_types.py
# writes them.


class PackOptions(TypedDict, total=False):
    """Options of pack."""

    list: Optional[Path]
    list_root: Optional[Path]
    metadata_file: Optional[str]
    label_map: Optional[Path]
    label_offset: Optional[int]
    blacklist: Optional[Path]
    val_labels: Optional[Path]
    unlabelled: Optional[bool]
    class_text: Optional[Path]
    bounding_boxes: Optional[Path]
    annotations: Optional[str]
    bad_annotations: Optional[Literal["fail", "skip"]]
    fields: Optional[Union[str, Mapping[str, str]]]
    pair: Optional[Union[str, Mapping[str, str]]]
    min_per_class: Optional[int]
    empty_classes: Optional[EmptyClasses]
    unite_classes: Optional[bool]
    numbered_classes: Optional[bool]
    hold_out: Optional[int]
    split: Optional[Union[str, Mapping[str, float]]]
    stratify: Optional[bool]
    small_classes: Optional[Literal["refuse", "train"]]
    group_by: Optional[str]
    dedup_groups: Optional[bool]
    near_groups: Optional[bool]
    format: Optional[str]
    shards: Optional[int]
    shard_size: Optional[Size]
    seed: Optional[int]
    shuffle: Optional[bool]
    suffix: Optional[bool]
    lossy_labels: Optional[bool]
    on_bad: Optional[OnBad]
    check: Optional[Check]
    kinds: Optional[Union[str, Iterable[str]]]
    recode: Optional[Encoding]
    to_8_bits: Optional[bool]
    entry_points: Optional[EntryPoints]
    variants: Optional[Union[int, str, Iterable[Union[int, str]]]]
    encoding: Optional[Encoding]
    quality: Optional[int]
    subsampling: Optional[Subsampling]
    optimize: Optional[bool]
    png_level: Optional[int]
    filter: Optional[Filter]
    pass_order: Optional[PassOrder]
    center_crop: Optional[bool]
    color: Optional[Color]
    upscale: Optional[bool]
    exif: Optional[Exif]
    keep_icc: Optional[bool]
    jobs: Optional[int]
    space_check: Optional[bool]
    replace: Optional[bool]
    progress: Progressing


class ResizeOptions(TypedDict, total=False):
    """Options of resize."""

    list: Optional[Path]
    list_root: Optional[Path]
    metadata_file: Optional[str]
    label_map: Optional[Path]
    label_offset: Optional[int]
    blacklist: Optional[Path]
    val_labels: Optional[Path]
    unlabelled: Optional[bool]
    class_text: Optional[Path]
    bounding_boxes: Optional[Path]
    annotations: Optional[str]
    bad_annotations: Optional[Literal["fail", "skip"]]
    fields: Optional[Union[str, Mapping[str, str]]]
    pair: Optional[Union[str, Mapping[str, str]]]
    min_per_class: Optional[int]
    empty_classes: Optional[EmptyClasses]
    unite_classes: Optional[bool]
    numbered_classes: Optional[bool]
    hold_out: Optional[int]
    split: Optional[Union[str, Mapping[str, float]]]
    stratify: Optional[bool]
    small_classes: Optional[Literal["refuse", "train"]]
    group_by: Optional[str]
    dedup_groups: Optional[bool]
    near_groups: Optional[bool]
    short_side: Optional[Union[int, str, Iterable[Union[int, str]]]]
    preset: Optional[Preset]
    encoding: Optional[Encoding]
    quality: Optional[int]
    subsampling: Optional[Subsampling]
    optimize: Optional[bool]
    png_level: Optional[int]
    filter: Optional[Filter]
    pass_order: Optional[PassOrder]
    center_crop: Optional[bool]
    color: Optional[Color]
    upscale: Optional[bool]
    exif: Optional[Exif]
    keep_icc: Optional[bool]
    on_bad: Optional[OnBad]
    format: Optional[str]
    shards: Optional[int]
    shard_size: Optional[Size]
    seed: Optional[int]
    shuffle: Optional[bool]
    lossy_labels: Optional[bool]
    entry_points: Optional[EntryPoints]
    jobs: Optional[int]
    replace: Optional[bool]
    dry_run: Optional[bool]
    progress: Progressing


class ConvertOptions(TypedDict, total=False):
    """Options of convert."""

    split: Optional[Union[str, Iterable[str], Mapping[str, float]]]
    stratify: Optional[bool]
    small_classes: Optional[Literal["refuse", "train"]]
    group_by: Optional[str]
    dedup_groups: Optional[bool]
    near_groups: Optional[bool]
    hold_out: Optional[int]
    seed: Optional[int]
    where: Optional[str]
    label_map: Optional[Path]
    drop_keys: Optional[Path]
    limit: Optional[int]
    prefix: Optional[str]
    fields: Optional[Union[str, Iterable[str]]]
    format: Optional[str]
    shards: Optional[int]
    shard_size: Optional[Size]
    reshuffle: Optional[int]
    suffix: Optional[bool]
    strict: Optional[bool]
    lossy_labels: Optional[bool]
    pixels: Optional[Pixels]
    recode: Optional[Encoding]
    to_8_bits: Optional[bool]
    encode: Optional[Encoding]
    image_layout: Optional[Literal["hwc", "chw", "bgr", "bgr-planes"]]
    quality: Optional[int]
    on_bad: Optional[OnBad]
    check: Optional[Check]
    entry_points: Optional[EntryPoints]
    class_names: Optional[Path]
    image: Optional[str]
    label: Optional[str]
    key: Optional[str]
    one_hot: Optional[bool]
    jobs: Optional[int]
    space_check: Optional[bool]
    replace: Optional[bool]
    dry_run: Optional[bool]
    progress: Progressing


class MergeOptions(TypedDict, total=False):
    """Options of merge."""

    prefix: Optional[str]
    split: Optional[Union[str, Mapping[str, float]]]
    stratify: Optional[bool]
    small_classes: Optional[Literal["refuse", "train"]]
    group_by: Optional[str]
    dedup_groups: Optional[bool]
    near_groups: Optional[bool]
    seed: Optional[int]
    drop_keys: Optional[Path]
    format: Optional[str]
    lossy_labels: Optional[bool]
    on_bad: Optional[OnBad]
    check: Optional[Check]
    entry_points: Optional[EntryPoints]
    jobs: Optional[int]
    space_check: Optional[bool]
    replace: Optional[bool]
    dry_run: Optional[bool]
    progress: Progressing


class RelabelOptions(TypedDict, total=False):
    """Options of relabel."""

    by: Optional[By]
    lossy_labels: Optional[bool]
    on_bad: Optional[OnBad]
    check: Optional[Check]
    entry_points: Optional[EntryPoints]
    jobs: Optional[int]
    space_check: Optional[bool]
    progress: Progressing


class IndexOptions(TypedDict, total=False):
    """Options of index."""

    split: Optional[str]
    class_names: Optional[Path]
    list: Optional[Path]
    list_by: Optional[By]
    format: Optional[str]
    image: Optional[str]
    label: Optional[str]
    key: Optional[str]
    one_hot: Optional[bool]
    fields: Optional[Union[str, Iterable[str]]]
    jobs: Optional[int]
    progress: Progressing


class ReindexOptions(TypedDict, total=False):
    """Options of reindex."""

    entry_points: Optional[EntryPoints]
    jobs: Optional[int]
    progress: Progressing


class VerifyOptions(TypedDict, total=False):
    """Options of verify."""

    level: Optional[Level]
    against: Optional[Source]
    list: Optional[Path]
    list_root: Optional[Path]
    image: Optional[str]
    label: Optional[str]
    key: Optional[str]
    one_hot: Optional[bool]
    fields: Optional[Union[str, Iterable[str]]]
    jobs: Optional[int]
    progress: Progressing


class AuditOptions(TypedDict, total=False):
    """Options of audit."""

    index_only: Optional[bool]
    near: Optional[bool]
    near_distance: Optional[int]
    odd: Optional[bool]
    clean: Optional[Path]
    jobs: Optional[int]
    progress: Progressing


class ReportOptions(TypedDict, total=False):
    """Options of report."""

    overwrite: Optional[bool]
    samples: Optional[int]
    seed: Optional[int]
    progress: Progressing


class CardOptions(TypedDict, total=False):
    """Options of card."""

    name: Optional[str]
    license: Optional[str]
    citation: Optional[Path]
    overwrite: Optional[bool]
    jobs: Optional[int]
    progress: Progressing


class ScanOptions(TypedDict, total=False):
    """Options of scan."""

    check: Optional[Literal["header", "decode"]]
    jobs: Optional[int]
    progress: Progressing


class ExtractOptions(TypedDict, total=False):
    """Options of extract."""

    names: Optional[Names]
    overwrite: Optional[bool]
    on_bad: Optional[Literal["fail", "skip"]]
    check: Optional[Check]
    progress: Progressing


class DoctorOptions(TypedDict, total=False):
    """Options of doctor."""

    split: Optional[str]
    jobs: Optional[int]
    progress: Progressing
