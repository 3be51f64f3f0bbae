"""The results of verbs that make and check datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from .dataset_results import Contents, EntryPointCounts, RejectedCount
from .outcome import Outcome


@dataclass(frozen=True, repr=False)
class SizeResult(Outcome):
    """The images at one size, in the dataset OUT/path. bytes: the size of all
    images."""

    path: str
    bytes: int
    upscaled: int
    kept: int
    entry_points: EntryPointCounts
    content_digest: str


@dataclass(frozen=True, repr=False)
class UsedList(Outcome):
    """A list that shard files were indexed with; by: "key", "id" or "position"."""

    path: str
    shard: str
    by: str
    records: int
    matched: int
    labelled: int


@dataclass(frozen=True, repr=False)
class FieldLeft(Outcome):
    """A field that was left out, and of how many samples."""

    name: str
    samples: int


@dataclass(frozen=True, repr=False)
class SplitCopies(Outcome):
    """How many images of a split another one has as well, byte for byte. samples: how
    many `split` has, the smaller one; conflicts: copies that have other labels there.
    With several datasets a split is called "PATH:NAME"."""

    split: str
    other: str
    samples: int
    copies: int
    conflicts: int


@dataclass(frozen=True, repr=False)
class PackResult(Outcome):
    """A dataset that is complete.

    bytes: the size of the images packed. shards_reused: shards that an interrupted run
    had finished. nothing_to_do: the dataset was complete already; contents_compared
    says whether more than names, labels and sizes was looked at then.
    contents: the parts that its samples have, and lack. rejected: samples that are not
    in it, or are in spite of their damage; rejected_before: samples that the inputs
    lost. replaced: the files of the dataset that gave way, by their paths in output.
    copies: the images that splits share, where there are several.
    """

    output: str
    format: str
    samples: int
    classes: int
    shards: int
    shards_reused: int
    bytes: int
    nothing_to_do: bool
    contents_compared: bool
    content_digest: str
    entry_points: EntryPointCounts
    contents: Contents
    sizes: Tuple[SizeResult, ...]
    rejected: Tuple[RejectedCount, ...]
    rejected_before: Tuple[RejectedCount, ...]
    ignored: Tuple[RejectedCount, ...]
    lists: Tuple[UsedList, ...]
    fields_left: Tuple[FieldLeft, ...]
    replaced: Tuple[str, ...]
    copies: Tuple[SplitCopies, ...]
    warnings: Tuple[str, ...]
    _shown = ("output", "format", "samples", "shards")


@dataclass(frozen=True, repr=False)
class PlannedSplit(Outcome):
    """A split that a pack would make; bytes: the size of its images."""

    name: str
    samples: int
    bytes: int
    shards: int


@dataclass(frozen=True, repr=False)
class PackPlan(Outcome):
    """The plan of a pack. Sizes in bytes: disk_needed is an estimate, of which
    disk_known is certain; disk_free is the disk's free room. replaced: with replace,
    the files of a dataset in the output that would go. estimated_seconds: for all
    images, as long as reading and checking estimate_images of them took; writing comes
    on top."""

    format: str
    samples: int
    variants: Tuple[str, ...]
    image_options: str
    classes: int
    bytes: int
    disk_needed: int
    disk_known: int
    disk_free: int
    estimated_seconds: float
    estimate_images: int
    plan_digest: str
    splits: Tuple[PlannedSplit, ...]
    ignored: Tuple[RejectedCount, ...]
    replaced: Tuple[str, ...]
    warnings: Tuple[str, ...]
    _shown = ("format", "samples", "splits")


@dataclass(frozen=True, repr=False)
class Finding(Outcome):
    """Something that is wrong: code as of the errors ("corrupt"); the file, the
    number of the record in it, the sample's key and the byte, None where that is
    not known."""

    code: str
    path: str
    record: Optional[int]
    key: Optional[str]
    byte: Optional[int]
    message: str


@dataclass(frozen=True, repr=False)
class VerifyResult(Outcome):
    """The findings of verify; sound: there are none. bytes: the bytes read. copies: the
    images that splits of a sound dataset share."""

    target: str
    sound: bool
    shards: int
    samples: int
    bytes: int
    contents: Contents
    findings: Tuple[Finding, ...]
    notes: Tuple[str, ...]
    copies: Tuple[SplitCopies, ...]
    _shown = ("target", "sound", "samples")


@dataclass(frozen=True, repr=False)
class ResizeResult(Outcome):
    """A tree of images that is complete. files: the count in all sizes, of which an
    earlier run made files_reused; bytes: the size of all."""

    output: str
    samples: int
    files: int
    files_reused: int
    bytes: int
    upscaled: int
    kept: int
    nothing_to_do: bool
    rejected: Tuple[RejectedCount, ...]
    ignored: Tuple[RejectedCount, ...]
    warnings: Tuple[str, ...]
    _shown = ("output", "samples", "files")


@dataclass(frozen=True, repr=False)
class ScanTally(Outcome):
    """The number of files of one sort, and the keys of the first few."""

    word: str
    count: int
    first: Tuple[str, ...]


@dataclass(frozen=True, repr=False)
class ScanSpread(Outcome):
    """Sides of images, in pixels."""

    min: int
    median: int
    max: int


@dataclass(frozen=True, repr=False)
class ScanResult(Outcome):
    """What a folder holds. files, bytes: of images; bad: of them, have a problem;
    sized: have a width and height. others: files that are no images, by suffix;
    neighbours: of them, have the name of an image beside them."""

    target: str
    files: int
    bytes: int
    bad: int
    sized: int
    kinds: Tuple[ScanTally, ...]
    problems: Tuple[ScanTally, ...]
    codings: Tuple[ScanTally, ...]
    chroma: Tuple[ScanTally, ...]
    traits: Tuple[ScanTally, ...]
    ignored: Tuple[ScanTally, ...]
    others: Tuple[ScanTally, ...]
    neighbours: Tuple[ScanTally, ...]
    warnings: Tuple[str, ...]
    width: ScanSpread
    height: ScanSpread
    short_side: ScanSpread
    _shown = ("target", "files", "bad")
