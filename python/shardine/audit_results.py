"""The results of an audit of datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Mapping, Tuple, Union

from .outcome import Outcome
from .verb_results import SplitCopies

CopyFinding = Literal["leakage", "label-conflict", "duplicate"]
OddFinding = Literal[
    "dark",
    "light",
    "odd_aspect_ratio",
    "low_information",
    "blurry",
    "grayscale",
    "odd_size",
]
AuditFinding = Literal[CopyFinding, OddFinding]
CopyKind = Literal["bytes", "pixels", "near"]


@dataclass(frozen=True, repr=False)
class AuditedSample(Outcome):
    """A sample whose image another one has. label_text: the names of its classes,
    else its labels."""

    split: str
    key: str
    id: int
    labels: Tuple[Union[int, float], ...]
    label_text: str
    _shown = ("split", "key", "label_text")


@dataclass(frozen=True, repr=False)
class CopiedImage(Outcome):
    """An image of several samples; with kind "near" two images that were compared and
    are alike, the other's samples from second on. proved: the images were read, and are
    as the kind says."""

    findings: Tuple[AuditFinding, ...]
    kind: CopyKind
    second: int
    proved: bool
    samples: Tuple[AuditedSample, ...]


@dataclass(frozen=True, repr=False)
class OddImage(Outcome):
    """An image that CleanVision's definitions call odd, and its sample."""

    findings: Tuple[AuditFinding, ...]
    sample: AuditedSample


@dataclass(frozen=True, repr=False)
class AuditResult(Outcome):
    """The findings of an audit. leaking: images that several splits have; conflicting:
    images with different labels; duplicates: samples behind the first of their image in
    their split; unproved: images that were compared by checksum and size alone. images:
    samples that were compared, bytes: the bytes read of them. splits: the images that
    two splits share. left_out: samples that the written lists lack.

    With near: same_pixels: images that samples have in other bytes; near_pairs: pairs
    of images that were compared and are alike; near_leaking and the like count both.

    With odd: odd: the odd images; odd_counts: their number by finding, 0 too.

    Not compared: unread: images that cannot be read or, with near or odd, decoded; problems:
    the first 100 unread ones; unsupported: images of kinds that are not decoded; plain:
    nearly blank images; cut: images with more candidates than are compared."""

    samples: int
    images: int
    bytes: int
    leaking: int
    conflicting: int
    duplicates: int
    unproved: int
    splits: Tuple[SplitCopies, ...]
    same_pixels: int
    near_pairs: int
    near_leaking: int
    near_conflicting: int
    near_duplicates: int
    near_splits: Tuple[SplitCopies, ...]
    odd_counts: Mapping[str, int]
    unread: int
    problems: Tuple[str, ...]
    unsupported: int
    plain: int
    cut: int
    left_out: int
    lists: Tuple[str, ...]
    copies: Tuple[CopiedImage, ...]
    odd: Tuple[OddImage, ...]
    _shown = ("samples", "leaking", "conflicting", "duplicates")
