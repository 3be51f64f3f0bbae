"""The results of a report on a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .outcome import Outcome

ReportAnswer = Literal["yes", "partly", "no", "one-split"]


@dataclass(frozen=True, repr=False)
class ReportResult(Outcome):
    """A page that was written. answer: whether evaluations on the splits can be
    trusted. bytes: the page's size; shown: samples in it, pictures: thumbnails,
    undecoded: shown samples without one; damaged: images that cannot be read or
    decoded. leaking, conflicting, duplicates: as AuditResult has them."""

    output: str
    answer: ReportAnswer
    samples: int
    bytes: int
    shown: int
    pictures: int
    undecoded: int
    damaged: int
    leaking: int
    conflicting: int
    duplicates: int
    _shown = ("output", "answer", "samples", "shown")
