"""A dataset that is loaded from its source and packed meanwhile."""

from __future__ import annotations

import os
import sys
import warnings
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _core
from .arguments import path as as_path, real, shown, text as as_text
from .dataset import Dataset, Path
from .verb_call import check_names, run
from .verb_options import PackOptions

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack


class Keep:
    """The dataset that a Loader of photos makes while it reads them.

    >>> import shardine
    >>> keep = shardine.Keep("kept", format="webdataset", seed=1)
    >>> loader = shardine.Loader("photos", keep=keep, batch_size=8, order="blocks",
    ...                          raw=True, seed=1)
    >>> sum(len(batch) for batch in loader)
    24
    >>> shardine.info("kept").samples  # it is there once the first epoch has ended
    24
    >>> shardine.pack("photos", "kept", format="webdataset", seed=1).nothing_to_do
    True

    out: the dataset's folder, on this machine's file systems. The other options are
    those of pack(): the dataset is byte for byte the one that pack() makes.
      on_bad is "fail", and the original is among the variants. jobs: threads that pack;
      by default a quarter of this process's share of the processors.
    load_split: the split to load, where the source gives several.
    patience: seconds for which the end of an epoch waits for other ranks while none of
      them finishes a shard. A RuntimeWarning says then that the dataset is not whole.
    """

    def __init__(
        self,
        out: Path,
        *,
        load_split: Optional[str] = None,
        patience: float = 60.0,
        **options: Unpack[PackOptions],
    ) -> None:
        self._out = as_path("out", out)
        self._split = "" if load_split is None else as_text("load_split", load_split)
        self._patience = real("patience", patience)
        if not 0 <= self._patience <= 1e6:
            raise ValueError("patience: is not from 0 to 1e6 seconds")
        check_names("Keep", options, PackOptions)
        self._options = options

    @shown
    def __repr__(self) -> str:
        return f"<shardine.Keep {os.fsdecode(self._out)!r}>"


class KeptDataset(Dataset):
    """The samples of a dataset that is being packed, in its order."""

    def __init__(self, source: Any, keep: Keep, rank: int, world: int) -> None:
        def begin(options: Any, tell: Any) -> _core.Keep:
            return _core.Keep(options, tell, keep._split, rank, world)

        self._native: Optional[_core.Keep] = run(
            "Keep",
            begin,
            {"source": source, "out": keep._out},
            keep._options,
            kind=PackOptions,
            doing="listing",
            gives=_core.Keep,
        )
        self._patience = keep._patience
        self._source = b"" if isinstance(source, Mapping) else as_path("dataset", source)
        self._begun_in = os.getpid()
        # The thread ends before the interpreter does.
        self._at_exit = weakref.finalize(self, self._native.stop)
        super().__init__(keep._out, split=keep._split or None)

    def _open(self) -> None:
        native = getattr(self, "_native", None)
        if native is None or self._begun_in != os.getpid():
            super()._open()  # in other processes: once it is there
            return
        self._take(native.dataset())

    def readers_of(self, given: Any) -> Any:
        """Loader's readers; by default those of a server where the source is on one."""
        return 64 if given == 0 and b"://" in self._source else given

    def check(self) -> None:
        """Raises the failure of packing."""
        if self._native is not None:
            self._native.check()

    def finish(self) -> None:
        """Waits until the dataset is there."""
        if self._native is None or self._native.complete or not self._at_exit.alive:
            return
        if not self._native.finish(self._patience):
            warnings.warn(
                f"{self.path}: other ranks have finished no shard for "
                f"{self._patience:g} s: the dataset is whole once they, or the next "
                "start, have packed the rest",
                RuntimeWarning,
                stacklevel=3,
            )

    def stop(self) -> None:
        """Ends packing."""
        self._at_exit()


def kept_dataset(
    source: Any, keep: Union[None, Path, Keep], rank: int, world: int
) -> Optional[KeptDataset]:
    """None without keep."""
    if keep is None:
        return None
    if not isinstance(source, (str, bytes, os.PathLike, Mapping)):
        raise TypeError(
            f"keep: the samples come from a folder or list, and not from {source!r}"
        )
    if not isinstance(keep, Keep):
        keep = Keep(as_path("keep", keep))
    return KeptDataset(source, keep, rank, world)
