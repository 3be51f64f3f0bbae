"""Loaders whose images and batches change at given epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

from . import _core
from .arguments import Settled, count, explained, flag, shown
from .dataset import Dataset
from .loader import ELSEWHERE, OPTIONS, Loader
from .loader_state import check_state
from .mix import Mix, whole_of
from .samplings import Sampling, as_sampling
from .selection import Selection
from .torch_types import IterableWhereTorchIs
from .transforms import Transforms


@dataclass(frozen=True)
class Phase:
    """The batches of a PhasedLoader from `first_epoch` on, to the next phase.

    dataset: a variant of the same samples. Phases may share one: then no file is
    reopened, whatever else they change. Or a Selection of it, or a Mix. sampling: as
    Loader's, in place of the shared one. Where selections or samplings are others from
    phase to phase, a curriculum, each phase begins with its own epoch of that number.

    >>> import shardine
    >>> small = shardine.Dataset("data", variant="sz/160")
    >>> shardine.Phase(0, small, shardine.RandomResizedCrop(64), batch_size=12).first_epoch
    0
    """

    first_epoch: int
    dataset: Any  # of any of these kinds
    transform: Optional[Transforms]
    batch_size: int
    sampling: Optional[Sampling] = None

    def __post_init__(self) -> None:
        count("first_epoch", self.first_epoch, 63)
        if not isinstance(self.dataset, (Dataset, Selection, Mix)):
            raise TypeError(f"dataset: {self.dataset!r} is no shardine.Dataset")
        as_sampling(self.sampling)

    def _options(self) -> Dict[str, Any]:
        """The options of Loader that the phase sets itself."""
        own: Dict[str, Any] = {"transform": self.transform, "batch_size": self.batch_size}
        return own if self.sampling is None else {**own, "sampling": self.sampling}


Phase.__init__ = explained("Phase")(Phase.__init__)  # type: ignore[method-assign]

# Loader's options that phases do not have.
_OWN = ("dataset", "transform", "batch_size", "keep")
_SHARED = [o for o in OPTIONS if o not in _OWN]


class PhasedLoader(Settled, IterableWhereTorchIs):
    """Batches of small images first, of larger ones later: phases of training,
    in one exact stream of samples.

    >>> import shardine
    >>> small = shardine.Dataset("data", variant="sz/160")
    >>> large = shardine.Dataset("data")
    >>> loader = shardine.PhasedLoader([
    ...     shardine.Phase(0, small, shardine.RandomResizedCrop(128), 12),
    ...     shardine.Phase(2, large, shardine.RandomResizedCrop(224), 8),
    ... ], seed=1)
    >>> for epoch in range(3):
    ...     print(loader.epoch, loader.phase, [len(images) for images, labels in loader])
    0 0 [12, 12]
    1 0 [12, 12]
    2 1 [8, 8, 8]
    >>> loader.set_epoch(1)
    >>> state = loader.state_dict()
    >>> loader.load_state_dict(state)
    >>> loader.steps_left, loader.loader.batch_size, len(loader.phases)
    (2, 12, 2)
    >>> loader.close()

    A curriculum changes the samples of training: Phase(0, dataset.select(easy), ...),
    then Phase(10, dataset, ...), or sampling=.

    phases may be a Schedule, which reads imagenet18's --phases.

    same_samples=False: datasets of the phases were packed apart, from other
    samples or in another order, and each phase begins with its own epoch of that
    number; else they have to be sizes of the same samples in the same order.

    options: Loader's options that phases share. Loaders of all phases are made at once,
    so that none fails hours later; threads run for one at a time. Iterating, len(),
    steps_left, epoch, set_epoch(), state_dict() and load_state_dict() are as Loader's;
    `loader` is the current phase's.
    """

    _settled = OPTIONS

    @explained("PhasedLoader", also=_SHARED, elsewhere=ELSEWHERE)
    def __init__(
        self, phases: Sequence[Phase], *, same_samples: bool = True, **options: Any
    ) -> None:
        self._apart = not flag("same_samples", same_samples)
        _check(phases)
        if self._apart:
            if options.get("last_batch") == "roll":
                raise ValueError(
                    "last_batch: a batch that rolls over would be of two sets, and "
                    "same_samples=False says that phases may have two"
                )
        else:
            _check_same(phases)
        self._phases = list(phases)
        self._loaders = [
            Loader(phase.dataset, **{**options, **phase._options()})
            for phase in phases
        ]
        # Other selections or samplings: a place in one does not exist in another.
        streams = {loader.state_dict()["order_digest"] for loader in self._loaders}
        if len(streams) > 1 and options.get("last_batch") == "roll":
            raise ValueError(
                "last_batch: a batch that rolls over would be of two sets: phases "
                "have other samples"
            )
        self._apart = self._apart or len(streams) > 1
        self._phase = 0

    @property
    def phases(self) -> List[Phase]:
        """The phases that it is made of."""
        return list(self._phases)

    @property
    def phase(self) -> int:
        """The number of the next batch's phase."""
        # A loader comes to the next phase's epoch by its last batch.
        return self._phase_of(self.epoch)

    @property
    def loader(self) -> Loader:
        """The one of the current phase. Ends an iteration of the phase before."""
        left = self._loaders[self._phase]
        if self.phase != self._phase:
            if self._apart:  # its state is of no other set
                self.set_epoch(left.epoch)
            else:
                self.load_state_dict(left.state_dict())
        return self._loaders[self._phase]

    @property
    def epoch(self) -> int:
        """The epoch of the next batch, counted over all phases."""
        return self._loaders[self._phase].epoch

    @property
    def steps_left(self) -> int:
        """Batches from the next one to the end of its epoch."""
        return self.loader.steps_left

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[_core.Batch]:
        # An epoch that was left early may have been its phase's last.
        self.loader._begin()
        return iter(self.loader)

    def set_epoch(self, epoch: int) -> None:
        """To the beginning of an epoch, of whichever phase: as Loader.set_epoch()."""
        self._enter(self._phase_of(count("epoch", epoch, 62)))
        self._loaders[self._phase].set_epoch(epoch)

    def state_dict(self) -> Dict[str, Any]:
        """The state from which load_state_dict() resumes exactly: as
        Loader.state_dict()."""
        return self.loader.state_dict()

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Restores a state of the same samples and seed; its epoch decides the
        phase."""
        phase = self._phase_of(check_state(state)["epoch"])
        self._loaders[phase].load_state_dict(state)
        self._enter(phase)

    def close(self) -> None:
        """Ends the threads. Batches stay valid."""
        for loader in self._loaders:
            loader.close()

    @shown
    def __repr__(self) -> str:
        return (
            f"<shardine.PhasedLoader: phase {self.phase} of {len(self._phases)}, "
            f"{self._loaders[self.phase]!r}>"
        )

    def __enter__(self) -> PhasedLoader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _phase_of(self, epoch: int) -> int:
        begun = (p.first_epoch <= epoch for p in self._phases)
        return max(sum(begun) - 1, 0)

    def _enter(self, phase: int) -> None:
        if phase == self._phase:
            return
        self._loaders[self._phase].set_epoch(0)  # its threads end
        self._phase = phase


def _check(phases: Sequence[Phase]) -> None:
    if not isinstance(phases, (list, tuple)):
        raise TypeError(f"phases: {phases!r} is not a list")
    for phase in phases:
        if not isinstance(phase, Phase):
            raise TypeError(f"phases: {phase!r} is not a shardine.Phase")
    if not phases or phases[0].first_epoch != 0:
        raise ValueError("phases: the first one begins with epoch 0")
    for before, phase in zip(phases, phases[1:]):
        if phase.first_epoch <= before.first_epoch:
            raise ValueError("phases: first epochs do not ascend")


def _order_digest(samples: Union[Dataset, Selection, Mix]) -> str:
    whole = samples if isinstance(samples, Mix) else whole_of(samples)
    return whole.order_digest


def _check_same(phases: Sequence[Phase]) -> None:
    for before, phase in zip(phases, phases[1:]):
        if _order_digest(phase.dataset) != _order_digest(before.dataset):
            raise ValueError(
                f"phases: {phase.dataset!r} has not the samples of "
                f"{before.dataset!r} in their order; same_samples=False takes "
                "sets that were packed apart"
            )
