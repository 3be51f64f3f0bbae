"""The results of verbs on existing datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Literal, Mapping, Optional, Tuple, Union

from .outcome import Outcome

DifferenceKind = Literal["added", "removed", "changed", "relabelled", "renamed"]


@dataclass(frozen=True, repr=False)
class EntryPointCounts(Outcome):
    """Images that have entry points, and damaged ones that could have none."""

    images: int
    damaged: int


@dataclass(frozen=True, repr=False)
class Contents(Outcome):
    """How many samples have a label, an image of 16 bits a channel (deep), and each
    field, by name: the image, and those that some samples lack; after index() all,
    up to 100. text: the same as a sentence."""

    samples: int
    labelled: int
    deep: int
    fields: Mapping[str, int]
    text: str
    _shown = ("samples", "labelled", "fields")

    @property
    def lacks(self) -> bool:
        """Some sample has no label, no image, or not all fields."""
        return any(count != self.samples for count in (self.labelled, *self.fields.values()))


@dataclass(frozen=True, repr=False)
class ShardInfo(Outcome):
    """A shard; its path is relative to the dataset's folder."""

    path: str
    samples: int
    bytes: int


@dataclass(frozen=True, repr=False)
class FieldInfo(Outcome):
    """A field of some samples of a split, the image too. dtype: "" where it differs;
    shape: a side that differs is 0."""

    name: str
    samples: int
    dtype: str
    shape: Tuple[int, ...]


@dataclass(frozen=True, repr=False)
class SplitInfo(Outcome):
    """A split, its digests (32 hex digits each) and its shards. deep: images of 16
    bits a channel. lacking: samples without the image, or without a field that
    others of the dataset have, by name. fields, class_counts: of info(counts=True),
    the latter in the order of DatasetInfo.classes."""

    name: str
    samples: int
    unlabelled: int
    deep: int
    lacking: Mapping[str, int]
    unsupported: Dict[str, int]  # images of each kind that is not decoded
    content_digest: str
    names_digest: str
    order_digest: str
    binding_digest: str
    shards: Tuple[ShardInfo, ...]
    fields: Tuple[FieldInfo, ...]
    class_counts: Tuple[int, ...]
    _shown = ("name", "samples")


@dataclass(frozen=True, repr=False)
class CategoryInfo(Outcome):
    """A category of annotated objects: its number in fields such as bbox_label, and
    its id in the annotations that the dataset was made of."""

    label: int
    id: str
    name: str


@dataclass(frozen=True, repr=False)
class ClassInfo(Outcome):
    """A class, its label, and how many samples it has."""

    name: str
    label: int
    count: int


@dataclass(frozen=True, repr=False)
class Provenance(Outcome):
    """How a dataset was made: the command, its sources as they were written, and
    the options that decide its bytes, by name."""

    command: str
    sources: Tuple[str, ...]
    options: Mapping[str, str]


@dataclass(frozen=True, repr=False)
class DatasetInfo(Outcome):
    """The contents of a manifest. Every dataset has every member, zero or empty where
    the manifest lacks it. bytes: the size of all shard files."""

    format: str
    variant: str
    images: str
    upscaled: int
    kept: int
    parent_digest: str
    samples: int
    bytes: int
    contents: Contents
    entry_points: EntryPointCounts
    entry_point_bytes: int
    shards: int
    rejected: int
    ignored: int
    text_fields: Tuple[str, ...]
    content_digest: str
    names_digest: str
    order_digest: str
    binding_digest: str
    plan_digest: str
    tool_version: str
    schema: int
    made: Provenance
    classes: Tuple[ClassInfo, ...]
    categories: Tuple[CategoryInfo, ...]
    splits: Tuple[SplitInfo, ...]
    variants: Tuple[str, ...]
    _shown = ("format", "variant", "samples", "shards")


@dataclass(frozen=True, repr=False)
class ListedField(Outcome):
    """A field beside the encoded image; shape is empty for plain bytes."""

    name: str
    dtype: str
    shape: Tuple[int, ...]
    bytes: int


@dataclass(frozen=True, repr=False)
class ListedSample(Outcome):
    """A sample as ls lists it. bytes: the size of the image, which lies in the shard at
    `extents`: (offset, length) of its parts, empty if it is compressed or derived."""

    id: int
    split: str
    labels: Tuple[Union[int, float], ...]
    key: str
    bytes: int
    shard: str
    record: int
    extents: Tuple[Tuple[int, int], ...]
    fields: Tuple[ListedField, ...]
    _shown = ("id", "split", "labels", "key")

    @property
    def label(self) -> Union[int, float, None]:
        """The first label, None if there is none."""
        return self.labels[0] if self.labels else None


@dataclass(frozen=True, repr=False)
class ReindexedDataset(Outcome):
    """The files now beside the shards of a dataset. Sizes in bytes: the files with
    entry points, and the shards."""

    path: str
    samples: int
    entry_points: EntryPointCounts
    entry_point_bytes: int
    shard_bytes: int
    files_written: int
    files_removed: int
    _shown = ("path", "files_written", "files_removed")


@dataclass(frozen=True, repr=False)
class ReindexResult(Outcome):
    """The dataset that was asked for, and the variants below it."""

    datasets: Tuple[ReindexedDataset, ...]
    warnings: Tuple[str, ...]
    _shown = ("datasets",)


@dataclass(frozen=True, repr=False)
class NativeIndex(Outcome):
    """The index of a file for its format's own programs; written is False where
    it was there, the same."""

    file: str
    index: str
    bytes: int
    written: bool


@dataclass(frozen=True, repr=False)
class Difference(Outcome):
    """A sample that two datasets do not share: the first's, unless it was added.
    other_split and other_key are a renamed sample's in the second, other_labels a
    relabelled one's; else None."""

    kind: DifferenceKind
    split: str
    key: str
    labels: Tuple[Union[int, float], ...]
    other_split: Optional[str]
    other_key: Optional[str]
    other_labels: Optional[Tuple[Union[int, float], ...]]
    _shown = ("kind", "split", "key")


@dataclass(frozen=True, repr=False)
class DiffResult(Outcome):
    """How many samples are the same, and how many are not, by kind. notes: differences
    outside samples, such as another order."""

    equal: bool
    same: int
    added: int
    removed: int
    changed: int
    relabelled: int
    renamed: int
    differences: Tuple[Difference, ...]
    notes: Tuple[str, ...]
    _shown = ("equal", "same", "added", "removed", "changed", "relabelled", "renamed")


@dataclass(frozen=True, repr=False)
class RejectedCount(Outcome):
    """Samples by reason, and what was done with them: "skip", "quarantine",
    "keep", or "" where nothing was."""

    reason: str
    action: str
    count: int


@dataclass(frozen=True, repr=False)
class ExtractResult(Outcome):
    """Images that were written as files, and those that were there already.
    fields_left: fields and arrays that are not written. annotation_files: those of
    an export. notes: what its form could not hold as it was. rejected: what
    on_bad="skip" left out."""

    directory: str
    files: int
    kept: int
    bytes: int
    fields_left: int
    annotation_files: int = 0
    notes: Tuple[str, ...] = ()
    rejected: Tuple[RejectedCount, ...] = ()
    _shown = ("directory", "files", "kept", "bytes", "annotation_files")
