"""What a machine is: the text of a bug report."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Tuple, cast

from . import _core
from .outcome import Outcome

__all__ = ["doctor"]

_PACKAGES = ("numpy", "torch", "torchvision", "pillow", "tqdm")


@dataclass(frozen=True, repr=False)
class MachineFolder(Outcome):
    """The working folder (use: "work") or the cache folder ("cache"), and the room of
    its file system; of a folder that does not exist the nearest one above it."""

    use: str
    path: str
    exists: bool
    file_system: str
    bytes: int
    free: int


@dataclass(frozen=True, repr=False)
class Machine(Outcome):
    """What the machine and the libraries in use are. cgroup_processors: None where no
    cgroup limits them. threads: this process's share. missing: a sentence for each
    library for servers that cannot be loaded. gpus: as NVIDIA's driver names them."""

    version: str
    system: str
    glibc: str
    processor: str
    simd: str
    processor_simd: str
    processors: int
    cgroup_processors: Optional[float]
    threads: int
    libraries: Tuple[str, ...]
    tls: str
    certificates: str
    certificates_exist: bool
    missing: Tuple[str, ...]
    gpus: Tuple[str, ...]
    folders: Tuple[MachineFolder, ...]
    _shown = ("version", "processor", "simd", "threads", "gpus")


@dataclass(frozen=True, repr=False)
class DoctorResult(Outcome):
    """What doctor() found; str() of it is the text to paste into a bug report.

    packages: versions by name, None for a package that is not installed.
    torch_gpus: names that torch gives, where torch was imported before.
    """

    machine: Machine
    python: str
    packages: Mapping[str, Optional[str]]
    torch_gpus: Tuple[str, ...]
    _shown = ("machine", "python")

    def __str__(self) -> str:
        rows = [*_machine_rows(self.machine), *self._python_rows()]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {text}" for name, text in rows)

    def _python_rows(self) -> List[Tuple[str, str]]:
        packages = (f"{name} {version or 'not installed'}"
                    for name, version in self.packages.items())
        rows = [("python", self.python), ("packages", ", ".join(packages))]
        if self.torch_gpus:
            rows.append(("torch gpu", ", ".join(self.torch_gpus)))
        return rows


def _machine_rows(machine: Machine) -> List[Tuple[str, str]]:
    simd, limit = machine.simd, machine.cgroup_processors
    if simd != machine.processor_simd:
        simd += f" (the processor has {machine.processor_simd})"
    cores = f"{machine.processors} for this process, "
    cores += "no limit by a cgroup" if limit is None else f"{limit:.1f} by its cgroup"
    certificates = machine.certificates or "unknown"
    if machine.certificates and not machine.certificates_exist:
        certificates += " (cannot be read)"
    return [
        ("shardine", machine.version),
        ("system", machine.system or "unknown"),
        ("glibc", machine.glibc or "unknown"),
        ("processor", machine.processor or "unknown"),
        ("simd", simd),
        ("cores", f"{cores}; threads by default: {machine.threads}"),
        ("libraries", ", ".join(machine.libraries)),
        ("tls", machine.tls or "unknown"),
        ("certificates", certificates),
        ("gpu", ", ".join(machine.gpus) or "none"),
        *(("missing", each) for each in machine.missing),
        *((folder.use, _room_text(folder)) for folder in machine.folders),
    ]


def _room_text(folder: MachineFolder) -> str:
    missing = "" if folder.exists else " (does not exist)"
    return (f"{folder.path}{missing}: {folder.file_system or 'unknown'}, "
            f"{folder.free / 1e9:.1f} of {folder.bytes / 1e9:.1f} GB free")


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


def doctor() -> DoctorResult:
    """What this machine is, in under a second: versions, processor, libraries,
    certificates, folders, GPUs, Python and its packages. Nothing is written.

    >>> found = shardine.doctor()
    >>> found.machine.version == shardine.__version__, found.packages["torch"] == "1.0"
    (True, False)
    >>> str(found).splitlines()[0].split()[0]
    'shardine'
    """
    return DoctorResult(
        machine=cast(Machine, _core.machine()),
        python=platform.python_version(),
        packages=_packages(),
        torch_gpus=_torch_gpus(),
    )
