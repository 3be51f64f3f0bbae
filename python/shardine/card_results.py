"""What a card tells of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from .outcome import Outcome


@dataclass(frozen=True, repr=False)
class CardResult(Outcome):
    """Files that a dataset is published with. written, kept: their paths; those that
    held the same were kept. files: of the dataset, which were digested; bytes: of
    them."""

    written: Tuple[str, ...]
    kept: Tuple[str, ...]
    samples: int
    files: int
    bytes: int
    _shown = ("written", "samples", "files")
