"""Phases of training as imagenet18 writes them on its command line."""

from __future__ import annotations

import ast
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from .arguments import count, explained, path as as_path, text
from .dataset import Dataset, Path
from .errors import NotFoundError
from .phases import Phase
from .transforms import CenterCrop, RandomResizedCrop, RectVal, Transform


@dataclass(frozen=True)
class Validation:
    """The options of a Loader that validates after an epoch, with last_batch="short".

    >>> import shardine
    >>> data = shardine.Dataset("data")
    >>> after = shardine.Validation(data, shardine.CenterCrop(32), 8)
    >>> len(shardine.EvalLoader(after.dataset, batch_size=after.batch_size,
    ...                         transform=after.transform))
    3
    """

    dataset: Dataset
    transform: Transform
    batch_size: int


class Schedule(List[Phase]):
    """imagenet18's --phases: a list of phases for PhasedLoader, and the rest.

    >>> import shardine
    >>> phases = "[{'ep':0,'sz':128,'bs':12,'trndir':'-sz/160'}," \\
    ...          " {'ep':(0,5),'lr':(1.0,2.0)}, {'ep':5,'lr':2.0}," \\
    ...          " {'ep':14,'sz':224,'bs':6,'trndir':''}]"
    >>> schedule = shardine.Schedule(phases, "data", validation=None)
    >>> [(each.first_epoch, each.batch_size) for each in schedule]
    [(0, 12), (14, 6)]
    >>> schedule.rates, schedule.epochs  # for the trainer
    ([{'ep': (0, 5), 'lr': (1.0, 2.0)}, {'ep': 5, 'lr': 2.0}], 5)
    >>> loader = shardine.PhasedLoader(schedule, seed=1)

    phases: that text, of Python's literals alone (nothing is evaluated), or JSON,
    or the list itself. Entries have 'ep', 'sz', 'bs', 'trndir', 'valdir',
    'min_scale', 'rect_val', 'keep_dl' as there, and the trainer's own members where
    they only have an 'lr'.

    data: the prefix of 'trndir' and 'valdir'. DATA-sz/160 is a dataset of the splits
    `train` and `validation`, or holds a dataset of each name, or is the variant sz/160
    of the dataset DATA. validation=None opens none.
    """

    @explained("Schedule")
    def __init__(
        self,
        phases: Union[str, Sequence[Mapping[str, Any]]],
        data: Path,
        *,
        train: str = "train",
        validation: Optional[str] = "validation",
    ) -> None:
        entries = _entries(phases)
        data = os.fsdecode(as_path("data", data))
        sets = _Sets(data)
        named = text("train", train)
        scheduled = _core.parse_phases(_json(entries))
        super().__init__(
            Phase(
                each.first_epoch,
                sets.open(each.train_suffix, named),
                RandomResizedCrop(each.size, scale=(each.min_scale, 1.0)),
                each.batch_size,
            )
            for each in scheduled
        )
        self.rates: List[Dict[str, Any]] = [
            dict(entry) for entry in entries if "lr" in entry
        ]
        self._validations: List[Validation] = []
        for each in scheduled if validation is not None else []:
            # imagenet18 keeps its loaders.
            if each.only_batch_changes:
                self._validations.append(self._validations[-1])
                continue
            dataset = sets.open(each.validation_suffix, text("validation", validation))
            self._validations.append(_validation(each, dataset))

    @property
    def epochs(self) -> int:
        """How many there are: the last that an entry with an 'lr' names, as there;
        0 where none does."""
        named = (entry["ep"] for entry in self.rates)
        last = (max(ep) if isinstance(ep, (list, tuple)) else ep for ep in named)
        return int(max(last, default=0))

    def validation(self, epoch: int) -> Validation:
        """The validation after that epoch."""
        if not self._validations:
            raise ValueError("the schedule was made with validation=None")
        begun = sum(phase.first_epoch <= count("epoch", epoch, 63) for phase in self)
        return self._validations[begun - 1]


def _entries(phases: Any) -> List[Mapping[str, Any]]:
    if isinstance(phases, str):
        phases = _literals(phases)
    if not isinstance(phases, (list, tuple)):
        raise TypeError(f"phases: {phases!r} is not a list")
    for entry in phases:
        if not isinstance(entry, Mapping):
            raise TypeError(f"phases: {entry!r} is not a dict")
    return list(phases)


def _literals(given: str) -> Any:
    wrong = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)
    try:
        return ast.literal_eval(given.strip())
    except wrong as error:
        reason = error
    try:
        return json.loads(given)  # whose true and false are not Python's
    except (ValueError, RecursionError):
        raise ValueError(
            f"phases: no list of Python's literals, and no JSON: {reason}"
        ) from None


def _json(entries: List[Mapping[str, Any]]) -> str:
    # The trainer's own members may hold values outside JSON.
    known = [
        {
            name: value
            for name, value in entry.items()
            if "bs" in entry or name in ("ep", "lr")
        }
        for entry in entries
    ]
    try:
        return json.dumps(known, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"phases: {error}") from None


class _Sets:
    """The datasets that folders of imagenet18 stand for, each opened once."""

    def __init__(self, data: str) -> None:
        self._data = data
        self._opened: Dict[Any, Dataset] = {}

    def open(self, suffix: str, split: str) -> Dataset:
        if (suffix, split) not in self._opened:
            self._opened[suffix, split] = self._find(suffix, split)
        return self._opened[suffix, split]

    def _find(self, suffix: str, split: str) -> Dataset:
        folder = self._data + suffix
        missing = []
        places: List[Tuple[str, Optional[str], str]] = [
            (folder, split, "original"),
            (os.path.join(folder, split), None, "original"),
        ]
        if suffix.startswith("-"):
            places.append((self._data, split, suffix[1:]))
        for path, named, variant in places:
            try:
                return Dataset(path, split=named, variant=variant)
            except NotFoundError as error:
                missing.append(str(error))
        raise NotFoundError(
            f"phases: {folder} is no dataset with split {split!r}: "
            + "; ".join(missing)
        )


def _validation(phase: Any, dataset: Dataset) -> Validation:
    """As imagenet18's get_loaders() has it."""
    least = {128: 512, 224: 256}.get(phase.size, 128)
    crop = CenterCrop(phase.size, int(phase.size * 1.14))
    return Validation(
        dataset,
        RectVal(phase.size) if phase.rectangular else crop,
        max(phase.batch_size, least),
    )
