"""Some samples of a Dataset, in an order of one's own."""

from __future__ import annotations

import difflib
import operator
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Iterable,
    Iterator,
    List,
    Literal,
    Optional,
    Sequence,
    Union,
)

import numpy

from .arguments import shown, text
from .looking import dataset_page
from .together import makes_own, one_by_one
from .torch_types import Form, torch_samples

if TYPE_CHECKING:
    from .dataset import Dataset
    from .sample import Sample
    from .torch_samples import TorchSamples

SelectedLabels = Literal["kept", "compact"]
Wanted = Union[str, Iterable[str], Iterable[int], "Callable[[Sample], Any]"]


class Selection:
    """The result of dataset[0:10] and dataset.select(): a sequence of the dataset's
    items, which are read when they are asked for. `positions` are where they are in
    `dataset`. Can be pickled, and given to a Loader or torch's DataLoader.

    >>> import shardine
    >>> chosen = shardine.Dataset("data").select([5, 3])
    >>> len(chosen), chosen.positions, chosen.sample(0).id == chosen[0].id
    (2, (5, 3), True)
    >>> chosen.classes
    ['boat', 'house', 'tree']
    """

    def __init__(self, dataset: Dataset, positions: Iterable[int]) -> None:
        self.dataset = dataset
        # A range stays a range: ten million samples need no list.
        self.positions = (
            positions if isinstance(positions, range) else tuple(positions)
        )

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, position: Union[int, slice]) -> Any:
        if isinstance(position, slice):
            return Selection(self.dataset, self.positions[position])
        return self.dataset[self._at(position)]

    def __getitems__(self, positions: Sequence[int]) -> List[Any]:
        """As Dataset.__getitems__()."""
        if makes_own(self, Selection):
            return [self[position] for position in positions]
        return self.dataset.__getitems__([self._at(each) for each in positions])

    def __iter__(self) -> Iterator[Any]:
        return self.dataset._items(self.positions)

    @property
    def classes(self) -> List[str]:
        """The dataset's, whichever of them are here.

        >>> import shardine
        >>> dataset = shardine.Dataset("data")
        >>> dataset[:2].classes == dataset.classes
        True
        """
        return self.dataset.classes

    def sample(self, position: int) -> Sample:
        """A Sample, also where items are pairs."""
        return self.dataset.sample(self._at(position))

    def samples_at(self, positions: Iterable[int]) -> List[Sample]:
        """As Dataset.samples_at(), of these samples.

        >>> import shardine
        >>> chosen = shardine.Dataset("data")[10:20]
        >>> chosen.samples_at([3, 0])[1].key == chosen.sample(0).key
        True
        """
        return self.dataset.samples_at(self._at(each) for each in positions)

    def as_torch(
        self,
        form: Form = "tuple",
        *,
        transform: Optional[Callable[[Any], Any]] = None,
        fields: Optional[Sequence[str]] = None,
    ) -> TorchSamples:
        """As Dataset.as_torch(), of these samples.

        >>> len(shardine.Dataset("data")[0:10].as_torch())
        10
        """
        return torch_samples("as_torch", self, form, transform, fields)

    def _at(self, position: int) -> int:
        try:
            return self.positions[operator.index(position)]
        except IndexError:
            raise IndexError(
                f"position {position} of {len(self)} samples"
            ) from None

    @shown
    def __repr__(self) -> str:
        return f"<shardine.Selection: {len(self)} samples of {self.dataset!r}>"

    def _repr_html_(self) -> str:
        return dataset_page(self)


def positions_of(dataset: Dataset, wanted: Wanted) -> List[int]:
    """Positions by a class, a list, or a function that accepts samples."""
    if isinstance(wanted, str):
        return _of_classes(dataset, [wanted])
    if callable(wanted):
        answers = map(wanted, one_by_one(dataset, range(len(dataset))))
        return [i for i, answer in enumerate(answers) if _is_yes(answer)]
    if isinstance(wanted, bytes) or not hasattr(wanted, "__iter__"):
        raise TypeError(
            f"wanted: {wanted!r} is neither positions, the name of a class nor a "
            "function of a Sample"
        )
    indices: List[Any] = list(wanted)
    names = [each for each in indices if isinstance(each, str)]
    if names and len(names) == len(indices):
        return _of_classes(dataset, names)
    if any(isinstance(each, (bool, numpy.bool_)) for each in indices):
        raise TypeError(
            "wanted: it holds True or False, not positions; numpy.flatnonzero() "
            "of a mask gives them"
        )
    try:
        return [dataset._index(index) for index in indices]
    except TypeError:
        raise TypeError("wanted: it holds what is not an integer") from None


def _is_yes(answer: Any) -> bool:
    if answer is None:
        raise TypeError("wanted: the function returned None, not True or False")
    return bool(answer)


def _of_classes(dataset: Dataset, names: Sequence[str]) -> List[int]:
    """The positions of samples with at least one label of these classes."""
    wanted = {label_of(dataset, name, "wanted") for name in names}
    return [i for i, labels in enumerate(dataset.labels) if wanted & set(labels)]


def label_of(dataset: Dataset, name: str, option: str) -> int:
    """The label of a class that an option names."""
    classes = dataset.class_to_idx
    if name not in classes:
        close = difflib.get_close_matches(name, classes, 1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"{option}: there is no class {name!r}{meant}")
    return classes[name]


def selected(
    dataset: Dataset, wanted: Optional[Wanted], where: Optional[str], labels: str
) -> Selection:
    """The result of Dataset.select()."""
    if (wanted is None) == (where is None):
        raise TypeError("select: give either what is wanted or where=")
    if labels not in ("kept", "compact"):
        raise ValueError(f'labels: {labels!r} is neither "kept" nor "compact"')
    if where is not None:
        positions = dataset._core().where(text("where", where))
    else:
        assert wanted is not None
        positions = positions_of(dataset, wanted)
    if labels == "compact":
        dataset = _compacted(dataset, positions)
    return Selection(dataset, positions)


def _compacted(dataset: Dataset, positions: Iterable[int]) -> Dataset:
    """A copy in which the labels of these samples are 0, 1, 2, ..., and their classes
    are all there are."""
    found = dataset.labels
    kept: List[Any] = sorted({label for at in positions for label in found[at]})
    before = dataset._compact
    if any(not isinstance(each, int) or (before and each < 0) for each in kept):
        raise ValueError(
            'labels: "compact" numbers classes, and these samples have other labels'
        )
    copy: Dataset = object.__new__(type(dataset))
    numbers = [before[each] for each in kept] if before else kept
    copy.__setstate__({**dataset.__getstate__(), "_compact": numbers})
    return copy
