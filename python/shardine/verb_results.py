"""What came of a verb: values that do not change, named as in the CLI's JSON."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Mapping, Optional, Tuple, Union



def _plain(value: Any) -> Any:
    if isinstance(value, Outcome):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return dict(value) if isinstance(value, dict) else value


class Outcome:
    """What the results of all verbs have in common."""

    # The members that repr() shows; all where it is empty.
    _shown: ClassVar[Tuple[str, ...]] = ()

    def to_dict(self) -> Dict[str, Any]:
        """All of it as dicts, lists, strings and numbers."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
        }

    def __repr__(self) -> str:
        named = [
            (field.name, getattr(self, field.name))
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
        ]
        shown = [
            f"{name}={value!r}"
            for name, value in named
            if not self._shown or name in self._shown
        ]
        # What somebody should look at, where there is any of it.
        for name, value in named:
            if name in ("warnings", "rejected", "findings") and value:
                shown.append(f"{len(value)} {name}" if isinstance(value, tuple) else f"{value} {name}")
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, repr=False)
class Progress(Outcome):
    """How far a verb is: of samples and of their bytes. A total of 0 is one that
    is not known yet."""

    samples: int
    samples_total: int
    bytes: int
    bytes_total: int
    rejected: int


@dataclass(frozen=True, repr=False)
class EntryPointCounts(Outcome):
    """Images that have entry points, and damaged ones that could have none."""

    images: int
    damaged: int


@dataclass(frozen=True, repr=False)
class RejectedCount(Outcome):
    """Samples by reason, and what was done with them: "skip", "quarantine",
    "keep", or "" where nothing was."""

    reason: str
    action: str
    count: int


@dataclass(frozen=True, repr=False)
class SizeResult(Outcome):
    """The images at one size, in the dataset OUT/path. bytes: of all images."""

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
class PackResult(Outcome):
    """A dataset that is complete.

    bytes: of the images packed. shards_reused: those that an interrupted run had
    finished. nothing_to_do: the dataset was complete already; contents_compared
    says whether more than names, labels and sizes was looked at then.
    rejected: samples that are not in it, or are in spite of their damage.
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
    sizes: Tuple[SizeResult, ...]
    rejected: Tuple[RejectedCount, ...]
    ignored: Tuple[RejectedCount, ...]
    lists: Tuple[UsedList, ...]
    fields_left: Tuple[FieldLeft, ...]
    warnings: Tuple[str, ...]
    _shown = ("output", "format", "samples", "shards")


@dataclass(frozen=True, repr=False)
class PlannedSplit(Outcome):
    """A split that a pack would make; bytes: of its images."""

    name: str
    samples: int
    bytes: int
    shards: int


@dataclass(frozen=True, repr=False)
class PackPlan(Outcome):
    """What a pack would do. Sizes in bytes: disk_needed is an estimate, of which
    disk_known is certain; disk_free is what the disk has."""

    format: str
    samples: int
    variants: Tuple[str, ...]
    image_options: str
    classes: int
    bytes: int
    disk_needed: int
    disk_known: int
    disk_free: int
    plan_digest: str
    splits: Tuple[PlannedSplit, ...]
    ignored: Tuple[RejectedCount, ...]
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
    """What verify looked at, and what is wrong. bytes: that were read."""

    target: str
    shards: int
    samples: int
    bytes: int
    findings: Tuple[Finding, ...]
    notes: Tuple[str, ...]
    _shown = ("target", "sound", "samples")

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def __repr__(self) -> str:
        wrong = f", {len(self.findings)} findings" if self.findings else ""
        return (
            f"VerifyResult(target={self.target!r}, sound={self.sound}, "
            f"samples={self.samples}{wrong})"
        )


@dataclass(frozen=True, repr=False)
class ShardInfo(Outcome):
    """A shard; its path is relative to the dataset's folder."""

    path: str
    samples: int
    bytes: int


@dataclass(frozen=True, repr=False)
class SplitInfo(Outcome):
    """A split, its digests (32 hex digits each) and its shards."""

    name: str
    samples: int
    unlabelled: int
    content_digest: str
    names_digest: str
    order_digest: str
    binding_digest: str
    shards: Tuple[ShardInfo, ...]
    _shown = ("name", "samples")


@dataclass(frozen=True, repr=False)
class ClassInfo(Outcome):
    """A class, its label, and how many samples are of it."""

    name: str
    label: int
    count: int


@dataclass(frozen=True, repr=False)
class Making(Outcome):
    """How a dataset was made: the command, its sources as they were written, and
    the options that decide its bytes, by name."""

    command: str
    sources: Tuple[str, ...]
    options: Mapping[str, str]


@dataclass(frozen=True, repr=False)
class DatasetInfo(Outcome):
    """What a manifest says. Every member is there for every dataset, zero or
    empty where it says nothing. bytes: of all shard files."""

    format: str
    variant: str
    images: str
    upscaled: int
    kept: int
    parent_digest: str
    samples: int
    bytes: int
    entry_points: EntryPointCounts
    entry_point_bytes: int
    shards: int
    rejected: int
    content_digest: str
    names_digest: str
    order_digest: str
    binding_digest: str
    plan_digest: str
    tool_version: str
    schema: int
    made: Making
    classes: Tuple[ClassInfo, ...]
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
    """A sample as ls lists it. bytes: of the image, which lies in the shard at
    `extents`: (offset, length) of its parts, none if it is not there as such."""

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
