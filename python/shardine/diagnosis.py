"""The description of a machine, and how long an epoch takes on it."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import platform
import sys
from typing import TYPE_CHECKING, Dict, Optional, Tuple, cast

from . import _core
from .doctor_results import DoctorResult, Epoch, Machine
from .verb_call import run
from .verb_options import DoctorOptions, Path

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["doctor"]

_PACKAGES = ("numpy", "torch", "torchvision", "pillow", "tqdm")


def _packages() -> Dict[str, Optional[str]]:
    versions: Dict[str, Optional[str]] = {}
    for name in _PACKAGES:
        # An import of torch takes seconds, its metadata a millisecond.
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = None
    return versions


def _torch_gpus() -> Tuple[str, ...]:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return ()
    count = torch.cuda.device_count()
    return tuple(str(torch.cuda.get_device_name(each)) for each in range(count))


def _epoch(path: Path, options: DoctorOptions) -> Epoch:
    return run(
        "doctor",
        _core.doctor,
        {"path": path},
        options,
        kind=DoctorOptions,
        doing="measuring",
        gives=Epoch,
    )


def doctor(
    path: Optional[Path] = None, **options: Unpack[DoctorOptions]
) -> DoctorResult:
    """Describes this machine, and how long an epoch takes on it. Writes nothing.

    Without a path, in under a second: versions, processor, libraries, certificates,
    folders, GPUs, Python and its packages.

    >>> found = shardine.doctor()
    >>> found.machine.version == shardine.__version__
    True
    >>> str(found).splitlines()[0].split()[0]
    'shardine'

    With one, in at most ten seconds: how fast storage or server and decoding are,
    the bottleneck of an epoch, and the one thing to change.

    >>> epoch = shardine.doctor("packed").epoch
    >>> epoch.samples, epoch.rows[epoch.now].reading
    (24, 'shuffled shards')
    >>> epoch.rows[epoch.then].images_per_second >= epoch.rows[epoch.now].images_per_second
    True

    path: a dataset, here or on a server, or a folder of images.
    split: a dataset's split; by default the one with most samples.
    jobs: threads that decode; progress: see shardine.verbs.

    Errors: NotFoundError: neither a dataset nor a folder with images;
    InvalidArgumentError: no such split; CorruptError, UnsupportedError: no image can
    be decoded; StorageError, RemoteError: it could not be read.
    """
    if path is None and options:
        raise TypeError(f"doctor: {next(iter(options))} needs a path")
    epoch = None if path is None else _epoch(path, options)
    if epoch is not None:
        # A measurement takes seconds, as the import of torch does. A torch that
        # cannot be imported has no GPU.
        with contextlib.suppress(ImportError, OSError):
            importlib.import_module("torch")
    return DoctorResult(
        machine=cast(Machine, _core.machine()),
        python=platform.python_version(),
        packages=_packages(),
        torch_gpus=_torch_gpus(),
        epoch=epoch,
    )
