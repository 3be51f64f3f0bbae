"""The samples that a viewer shows: chosen by split, class, key or finding."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Dict, Iterable, List, Optional, Sequence, Tuple, get_args

from ..audit_results import AuditedSample, CopyFinding, OddFinding
from ..dataset import Dataset, Path
from ..dataset_verbs import audit
from ..sample import Sample

# Findings of an audit: of copies byte for byte, which the indexes tell; and of images
# that were decoded, of which "near" are copies in other bytes.
FINDINGS = get_args(CopyFinding)
LOOKS = ("near", *get_args(OddFinding))


_Found = Dict[str, Dict[str, List[str]]]


def _note(found: _Found, finding: str, samples: Iterable[AuditedSample]) -> None:
    for sample in samples:
        found.setdefault(finding, {}).setdefault(sample.split, []).append(sample.key)


def _looks_of(path: Path) -> _Found:
    """Decodes all images, some 700 a second and thread."""
    found: _Found = {}
    result = audit(path, near=True, odd=True, progress=False)
    for copy in result.copies:
        if copy.kind != "bytes":
            _note(found, "near", copy.samples)
    for image in result.odd:
        for finding in image.findings:
            _note(found, finding, [image.sample])
    return found


@dataclass(frozen=True)
class Choice:
    """What is shown: samples of a split that have the class, a part of the key and the
    finding of an audit; empty or None: any."""

    split: str
    label: Optional[int] = None
    key: str = ""
    finding: str = ""


class Browsed:
    """One dataset, split by split. Thread-safe."""

    def __init__(self, path: Path) -> None:
        first = _opened(path)
        self.path = first.path if isinstance(first.path, str) else first.path[0]
        self.splits: Sequence[str] = first.splits
        self._path = path
        self._lock = threading.Lock()
        self._datasets: Dict[str, Dataset] = {first.split: first}
        # Keys by finding and split, of FINDINGS and of LOOKS, from their first use on.
        self._copies: Optional[_Found] = None
        self._looks: Optional[_Found] = None
        self._chosen: Dict[Choice, Sequence[int]] = {}
        self.classes = {label: name for name, label in first.class_to_idx.items()}

    def class_of(self, text: str) -> Optional[int]:
        """The label with that number or name; None for no text. KeyError: there is
        none."""
        if not text or (text.isascii() and text.lstrip("-").isdecimal()):
            return int(text) if text else None
        for label, name in self.classes.items():
            if name == text:
                return label
        raise KeyError(f"there is no class {text!r}")

    def split(self, name: str) -> Dataset:
        """KeyError: there is no such split."""
        with self._lock:
            return self._split(name)

    def _split(self, name: str) -> Dataset:
        if name not in self.splits:
            raise KeyError(name)
        if name not in self._datasets:
            self._datasets[name] = Dataset(self._path, split=name)
        return self._datasets[name]

    def sample(self, split: str, position: int) -> Sample:
        """IndexError: there is none."""
        with self._lock:
            return self._split(split).sample(position)

    def key(self, split: str, position: int) -> str:
        with self._lock:
            return self._split(split).key(position)

    def label(self, split: str, position: int) -> str:
        with self._lock:
            labels = self._split(split)._core().labels(position, 1)[0]
        return self.label_text(labels)

    def find(self, split: str, wanted: Iterable[str]) -> Dict[str, int]:
        """Positions of the keys that are there, in one walk over all."""
        with self._lock:
            left = set(wanted)
            found: Dict[str, int] = {}
            if split not in self.splits:
                return found
            dataset = self._split(split)
            for position, key in enumerate(dataset.keys):
                if key in left:
                    left.discard(key)
                    found[key] = position
                    if not left:
                        break
            return found

    def positions(self, choice: Choice) -> Sequence[int]:
        """Those of the samples that are chosen; the last few answers are kept."""
        with self._lock:
            if choice not in self._chosen:
                while len(self._chosen) >= 4:
                    del self._chosen[next(iter(self._chosen))]
                self._chosen[choice] = self._choose(choice)
            return self._chosen[choice]

    def _choose(self, choice: Choice) -> Sequence[int]:
        dataset = self._split(choice.split)
        chosen: Sequence[int] = range(len(dataset))
        if choice.label is not None:
            labels = dataset.labels
            chosen = [i for i in chosen if choice.label in labels[i]]
        if choice.key or choice.finding:
            keys = list(dataset.keys)
            chosen = [i for i in chosen if choice.key in keys[i]]
            if choice.finding:
                found = self._audited(choice.finding).get(choice.finding, {})
                keys_found = set(found.get(choice.split, ()))
                chosen = [i for i in chosen if keys[i] in keys_found]
        return chosen

    def _audited(self, finding: str) -> _Found:
        if finding in LOOKS:
            if self._looks is None:
                self._looks = _looks_of(self._path)
            return self._looks
        if self._copies is None:
            self._copies = {}
            for copy in audit(self._path, progress=False).copies:
                for each in copy.findings:
                    _note(self._copies, each, copy.samples)
        return self._copies

    def label_text(self, labels: Sequence[float]) -> str:
        return ", ".join(
            f"{label} ({self.classes[int(label)]})" if label in self.classes else str(label)
            for label in labels
        )


def _opened(path: Path) -> Dataset:
    """Its first split."""
    try:
        return Dataset(path)
    except ValueError as error:  # it has several, which info() names
        from ..dataset_verbs import info

        try:
            splits = [split.name for split in info(path).splits]
        except Exception:
            raise error from None
        return Dataset(path, split=splits[0])


def place_of(browsed: Browsed, key: str) -> Tuple[str, int]:
    """The split and position of a sample. KeyError: there is none."""
    for split in browsed.splits:
        found = browsed.find(split, [key])
        if found:
            return split, found[key]
    raise KeyError(key)
