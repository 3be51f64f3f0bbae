"""Parts of a dataset, by several Writers, become the dataset."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from . import _core
from .verb_call import run
from .verb_options import Path, RunOptions
from .verb_results import PackResult

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["join"]


def join(out: Path, **options: Unpack[RunOptions]) -> PackResult:
    """Makes one dataset of the parts that Writers put into the folder `out`.

    >>> import shardine
    >>> for part in (1, 0):  # in any order, at the same time, in any processes
    ...     with shardine.Writer("out", part=part, parts=2, format="webdataset",
    ...                          classes=["cat", "dog"]) as writer:
    ...         writer.write({"name": f"Rex {part}", "label": "dog"})
    >>> shardine.join("out")
    PackResult(output='out', format='webdataset', samples=2, shards=1)
    >>> [sample.fields["name"] for sample in shardine.Dataset("out")[:]]
    ['Rex 0', 'Rex 1']

    The samples of part 0 come first, then the samples of part 1, whatever was written
    first; all files equal, byte for byte, the files of one Writer of all samples in
    this order. Samples without a key or an id get the ones of their place in the whole.
    Nothing of the parts is believed: each sample is checked as write() checks it. Then
    the parts, which lie in OUT/.parts, are removed; until then they and the dataset
    take the room of both.

    Joining again is harmless: where the dataset is there already, the result has
    `nothing_to_do`. Ctrl-C and a kill leave the parts, and the same call begins
    again.

    jobs, progress: see shardine.verbs.

    NotFoundError: parts are missing, and are named. ExistsError: some are being
    written, or their writing was interrupted; another join is at work; there is
    another dataset. InvalidArgumentError: parts have different arguments; two
    samples have one key or id; there is no sample at all. CorruptError: a part is
    damaged (file, sample, byte). After any of them there is no dataset, and the
    parts are as they were. Other errors are Writer's.
    """
    return run(
        "join",
        _core.join,
        {"out": out},
        options,
        kind=RunOptions,
        doing="joining",
        gives=PackResult,
    )
