"""The results of doctor(): the machine, and the cost of an epoch on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Mapping, Optional, Tuple

from .doctor_text import epoch_text, machine_text
from .outcome import Outcome

EpochReading = Literal["loose files", "shuffled shards", "blocks", "remote cold",
                       "remote cold, blocks", "remote warm"]
EpochLimit = Literal["storage seeks", "storage rate", "network latency",
                     "network rate", "decoding"]
EpochChange = Literal["nothing", "pack", "blocks", "cache", "size"]


@dataclass(frozen=True, repr=False)
class MachineFolder(Outcome):
    """The working folder (use: "work") or the cache folder ("cache"), and the room of
    its file system; if the folder does not exist, of the nearest one above it."""

    use: str
    path: str
    exists: bool
    file_system: str
    bytes: int
    free: int


@dataclass(frozen=True, repr=False)
class Machine(Outcome):
    """The machine and the libraries in use. cgroup_processors: None where no cgroup
    limits them. threads: this process's share. missing: a sentence for each library for
    servers that cannot be loaded. gpus: as NVIDIA's driver names them."""

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
class StorageRates(Outcome):
    """A disk. seeks: random reads of 4 KiB a second, by all readers; random_bytes: the
    rate after such a read, sequential: the rate of reads in order, in bytes a second.
    from_memory: the bytes came from memory, and the disk may be slower."""

    seeks: float
    random_bytes: float
    sequential: float
    readers: int
    from_memory: bool


@dataclass(frozen=True, repr=False)
class ServerRates(Outcome):
    """A server. latency: seconds to a small answer, the median; bytes: a second;
    requests: under way at a time, at most."""

    latency: float
    bytes: float
    requests: int


@dataclass(frozen=True, repr=False)
class ImageRates(Outcome):
    """The images of a variant. bytes: the mean size of an image; decoded: random crops
    of 224 pixels a second on one core; decoded_packed: the rate of files once packed,
    by their entry points, else 0. estimated: the variant does not exist, its images
    were made in memory."""

    variant: str
    estimated: bool
    bytes: float
    decoded: float
    decoded_packed: float


@dataclass(frozen=True, repr=False)
class EpochRow(Outcome):
    """An epoch, read in some way: images a second, hours, and the bottleneck.
    estimated: the row's images do not exist here, or could not be measured."""

    reading: EpochReading
    variant: str
    images_per_second: float
    hours: float
    limit: EpochLimit
    estimated: bool


@dataclass(frozen=True, repr=False)
class Epoch(Outcome):
    """The cost of an epoch of a dataset, or of a folder of images (split: "").

    storage, server: the dataset's, one of them; cache: the disk of kept samples.
    page_hours: read at random in pages of 4 KiB, as MXNet's tutorial counts. now: the
    place in `rows` of a shuffled loader, then: the place after the change.
    """

    target: str
    split: str
    samples: int
    more_samples: bool
    threads: int
    storage: Optional[StorageRates]
    server: Optional[ServerRates]
    cache: Optional[StorageRates]
    images: Tuple[ImageRates, ...]
    page_hours: float
    rows: Tuple[EpochRow, ...]
    now: int
    then: int
    change: EpochChange
    _shown = ("target", "samples", "change")


@dataclass(frozen=True, repr=False)
class DoctorResult(Outcome):
    """The findings of doctor(); str() of it is the text to read, or to paste into a bug
    report.

    packages: versions by name, None for a package that is not installed.
    torch_gpus: names that torch gives, where torch is imported.
    epoch: None where no path was given.
    """

    machine: Machine
    python: str
    packages: Mapping[str, Optional[str]]
    torch_gpus: Tuple[str, ...]
    epoch: Optional[Epoch]
    _shown = ("machine", "python", "epoch")

    def __str__(self) -> str:
        return machine_text(self) if self.epoch is None else epoch_text(self)
