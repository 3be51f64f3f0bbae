"""The samples of one split, by position."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterable, Mapping, Set
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy

from . import _core
from .arguments import explained, path as as_path, text

Path = Union[str, "os.PathLike[str]", bytes]
_Bytes = bytes  # which Sample has a property of the name of


class Sample(NamedTuple):
    """One sample, with memory of its own.

    fields: bytes, or a NumPy array where the field has a type and a shape;
    "image" is the encoded image of a photo.

    What torch's DataLoader collates of several is a Sample, too: `label` is a
    tensor then, `image` a list.
    """

    id: int
    key: _Bytes
    labels: Tuple[Union[int, float], ...]
    fields: Dict[str, Any]

    @property
    def image(self) -> Any:
        """The field "image": encoded bytes, or pixels; b"" if there is none."""
        return self.fields.get("image", b"")

    @property
    def bytes(self) -> Any:
        """The same, by its other name."""
        return self.image

    @property
    def label(self) -> Union[int, float]:
        """The only label. ValueError if there is none or several."""
        if len(self.labels) != 1:
            raise ValueError(f"the sample has {len(self.labels)} labels")
        return self.labels[0]


def _field(dtype: str, shape: Sequence[int], data: _Bytes) -> Any:
    if dtype == "|S":
        return data
    return numpy.frombuffer(data, dtype).reshape(shape)


class Dataset:
    """A sequence of samples: dataset[3], dataset[-1], len(dataset).

    path: the folder of a dataset or its shardine.json; or a shard file of any
    format that is in no dataset, or a list of them, which are then read through
    once. split: may be left out if there is one. variant: "original", "sz/160".
    labels: a list file (.lst or JSON) whose labels take the place of those
    packed, by id or by key.

    Can be pickled, and used on both sides of a fork: it opens its files anew
    where it has to.
    """

    @explained("Dataset")
    def __init__(
        self,
        path: Union[Path, Iterable[Path]],
        *,
        split: Optional[str] = None,
        variant: str = "original",
        labels: Optional[Path] = None,
    ) -> None:
        if isinstance(path, (str, bytes, os.PathLike)):
            self._path: Union[bytes, List[bytes]] = as_path("path", path)
        elif isinstance(path, Iterable) and not isinstance(path, (Mapping, Set)):
            self._path = [as_path("path", shard) for shard in path]
        else:
            raise TypeError(f"path: {path!r} is neither a path nor a list of them")
        self._split = "" if split is None else text("split", split)
        self._variant = text("variant", variant)
        self._labels = b"" if labels is None else as_path("labels", labels)
        self._open()
        for warning in self._opened.warnings:
            warnings.warn(warning, stacklevel=2)

    def _open(self) -> None:
        options = _core.DatasetOptions(self._split, self._variant, self._labels)
        if isinstance(self._path, list):
            self._opened = _core.Dataset.open_shards(self._path, options)
        else:
            self._opened = _core.Dataset.open(self._path, options)
        self._process = os.getpid()
        self._streamed = False

    def _core(self, for_loader: bool = False) -> _core.Dataset:
        # A fork may have happened while threads of a loader held its locks:
        # then the copy is not touched any more, not even to free it.
        if self._streamed and self._process != os.getpid():
            _abandoned.append(self._opened)
            self._open()
        self._streamed = self._streamed or for_loader
        return self._opened

    def __len__(self) -> int:
        return len(self._opened)

    def __getitem__(self, position: int) -> Sample:
        id, key, labels, fields = self._core().read(self._index(position))
        return Sample(
            id,
            key,
            labels,
            {name: _field(*field) for name, field in fields.items()},
        )

    def __iter__(self) -> Iterator[Sample]:
        return (self[position] for position in range(len(self)))

    def key(self, position: int) -> bytes:
        """That of dataset[position], without reading the sample."""
        return self._core().key(self._index(position))

    def _index(self, position: int) -> int:
        index = operator.index(position)
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"position {position} of {len(self)} samples")
        return index

    @property
    def classes(self) -> List[str]:
        """Names of the classes, in ascending order of their labels."""
        return [os.fsdecode(each.name) for each in self._opened.classes]

    @property
    def class_to_idx(self) -> Dict[str, int]:
        """Label of each class, as in torchvision."""
        return {os.fsdecode(c.name): c.label for c in self._opened.classes}

    @property
    def path(self) -> Union[str, List[str]]:
        """As given."""
        if isinstance(self._path, list):
            return [os.fsdecode(shard) for shard in self._path]
        return os.fsdecode(self._path)

    @property
    def split(self) -> str:
        return self._opened.split

    @property
    def variant(self) -> str:
        return self._opened.variant

    @property
    def order_digest(self) -> str:
        """Of the ids in their order: equal for equal sequences of samples."""
        return self._opened.order_digest

    def __repr__(self) -> str:
        return (
            f"<shardine.Dataset {self.path!r}: split {self.split!r}, "
            f"{self.variant!r}, {len(self)} samples>"
        )

    def __getstate__(self) -> Dict[str, Any]:
        return {
            "_path": self._path,
            "_split": self._split,
            "_variant": self._variant,
            "_labels": self._labels,
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()


_abandoned: List[_core.Dataset] = []
