"""Loaders with the options that training, and that evaluation, mostly want."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Iterable, Optional, Union

from .arguments import explained
from .dataset import Dataset, Path
from .loader import ELSEWHERE, OPTIONS, Loader
from .loader_options import LoaderOptions
from .mix import Mix
from .selection import Selection
from .transforms import CenterCrop, RandomResizedCrop, Transforms

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack


def _leaves_pixels_open(options: LoaderOptions) -> bool:
    return not options.get("raw") and options.get("views") is None


class TrainLoader(Loader):
    """A Loader of shuffled samples, cut at random to 224 x 224 unless `transform`
    or `raw` says otherwise; samples that fill no whole step are left to the next
    epoch's order. Other options are Loader's, and win over these.

    >>> import shardine
    >>> loader = shardine.TrainLoader("data", batch_size=4, seed=1)
    >>> next(iter(loader)).images.shape
    (4, 3, 224, 224)
    >>> loader.batch_size, loader.rank, loader.world, len(loader.dataset)
    (4, 0, 1, 24)
    """

    @explained("TrainLoader", also=OPTIONS, elsewhere=ELSEWHERE)
    def __init__(
        self,
        dataset: Union[Dataset, Selection, Mix, Path, Iterable[Path]],
        *,
        batch_size: int,
        transform: Optional[Transforms] = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        if transform is None and _leaves_pixels_open(options):
            transform = RandomResizedCrop(224)
        options.setdefault("order", "shuffle")
        options.setdefault("last_batch", "drop")
        super().__init__(
            dataset, batch_size=batch_size, transform=transform, **options
        )


class EvalLoader(Loader):
    """A Loader of every sample exactly once an epoch, over all ranks together, as
    stored: the last batches are shorter, and may be empty on some ranks, each of
    which has the same number of them. The short side becomes 256 pixels and the
    middle 224 x 224 of them is taken, unless `transform` or `raw` says otherwise.
    Other options are Loader's, and win over these; but nothing is mixed.

    Counts over ranks are exact if each rank adds up correct answers and samples,
    and the sums of both are added over ranks, not their quotients:
    shardine.torch.Accuracy does so.

    >>> import shardine
    >>> loader = shardine.EvalLoader("data", batch_size=7)
    >>> sum(len(batch) for batch in loader) == len(loader.dataset)
    True
    >>> loader.batch_size, loader.rank, loader.world
    (7, 0, 1)
    """

    _varies = False

    @explained("EvalLoader", also=OPTIONS, elsewhere=ELSEWHERE)
    def __init__(
        self,
        dataset: Union[Dataset, Selection, Mix, Path, Iterable[Path]],
        *,
        batch_size: int,
        transform: Optional[Transforms] = None,
        **options: Unpack[LoaderOptions],
    ) -> None:
        if options.get("mix") is not None:
            raise TypeError(
                "EvalLoader: mix: evaluation is of images as they are; "
                "Loader and TrainLoader mix"
            )
        if transform is None and _leaves_pixels_open(options):
            transform = CenterCrop(224)
        options.setdefault("order", "sequential")
        options.setdefault("last_batch", "short")
        super().__init__(
            dataset, batch_size=batch_size, transform=transform, **options
        )
