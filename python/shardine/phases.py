"""Loaders whose images and batches change at given epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional, Sequence

from . import _core
from .dataset import Dataset
from .loader import Loader
from .transforms import Transform


@dataclass(frozen=True)
class Phase:
    """What a PhasedLoader yields from `first_epoch` on, to the next phase.

    dataset: a variant of the same samples. Phases may share one: then nothing
    is opened anew, whatever else they change.
    """

    first_epoch: int
    dataset: Dataset
    transform: Optional[Transform]
    batch_size: int


class PhasedLoader:
    """Batches of small images first, of larger ones later: phases of training,
    in one exact stream of samples.

        small = shardine.Dataset("out", variant="sz/160")
        large = shardine.Dataset("out", variant="sz/320")
        shardine.PhasedLoader([
            shardine.Phase(0, small, shardine.RandomResizedCrop(128), 256),
            shardine.Phase(13, large, shardine.RandomResizedCrop(224), 128),
            shardine.Phase(25, large, shardine.RandomResizedCrop(288), 80),
        ], seed=1)

    options: those of Loader that phases share. Loaders of all phases are made at
    once, so that none fails hours later; threads run for one at a time.
    Iterating, len(), epoch, set_epoch(), state_dict() and load_state_dict() are
    as Loader's; `loader` is that of the current phase.
    """

    def __init__(self, phases: Sequence[Phase], **options: Any) -> None:
        _check(phases)
        self.phases = list(phases)
        self._loaders = [
            Loader(
                phase.dataset,
                transform=phase.transform,
                batch_size=phase.batch_size,
                **options,
            )
            for phase in phases
        ]
        self._phase = 0

    @property
    def phase(self) -> int:
        """The number of the phase that the next batch is of."""
        return self._phase

    @property
    def loader(self) -> Loader:
        return self._loaders[self._phase]

    @property
    def epoch(self) -> int:
        return self.loader.epoch

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[_core.Batch]:
        loader = self.loader
        yield from loader
        if self._phase_of(loader.epoch) != self._phase:
            self.load_state_dict(loader.state_dict())

    def set_epoch(self, epoch: int) -> None:
        self._enter(self._phase_of(epoch))
        self.loader.set_epoch(epoch)

    def state_dict(self) -> Dict[str, Any]:
        return self.loader.state_dict()

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        phase = self._phase_of(state["epoch"])
        self._loaders[phase].load_state_dict(state)
        self._enter(phase)

    def close(self) -> None:
        """Ends the threads. Batches stay valid."""
        for loader in self._loaders:
            loader.close()

    def __enter__(self) -> PhasedLoader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _phase_of(self, epoch: int) -> int:
        begun = (p.first_epoch <= epoch for p in self.phases)
        return max(sum(begun) - 1, 0)

    def _enter(self, phase: int) -> None:
        if phase == self._phase:
            return
        self.loader.set_epoch(0)  # its threads end
        self._phase = phase


def _check(phases: Sequence[Phase]) -> None:
    if not phases or phases[0].first_epoch != 0:
        raise ValueError("phases: the first one begins with epoch 0")
    for before, phase in zip(phases, phases[1:]):
        if phase.first_epoch <= before.first_epoch:
            raise ValueError("phases: first epochs do not ascend")
        if phase.dataset.order_digest != before.dataset.order_digest:
            raise ValueError(
                f"phases: {phase.dataset!r} has not the samples of "
                f"{before.dataset!r} in their order"
            )
