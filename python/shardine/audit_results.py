"""What an audit tells of datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Tuple, Union

from .outcome import Outcome
from .verb_results import SplitCopies

AuditFinding = Literal["leakage", "label-conflict", "duplicate"]


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
    """An image of several samples. proved: the images were read and have the same
    bytes."""

    findings: Tuple[AuditFinding, ...]
    proved: bool
    samples: Tuple[AuditedSample, ...]


@dataclass(frozen=True, repr=False)
class AuditResult(Outcome):
    """What an audit found. leaking: images that several splits have; conflicting:
    those with different labels; duplicates: samples behind the first of their image
    in their split; unproved: images that were compared by checksum and size alone.
    images: samples that were compared, bytes: what was read of them. splits: what two
    splits share. left_out: samples that the written lists lack."""

    samples: int
    images: int
    bytes: int
    leaking: int
    conflicting: int
    duplicates: int
    unproved: int
    splits: Tuple[SplitCopies, ...]
    left_out: int
    lists: Tuple[str, ...]
    copies: Tuple[CopiedImage, ...]
    _shown = ("samples", "leaking", "conflicting", "duplicates")
