"""The findings of doctor() as text; tools/cli has the program's text."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Sequence, Tuple

if TYPE_CHECKING:
    from .doctor_results import (
        DoctorResult,
        Epoch,
        ImageRates,
        Machine,
        MachineFolder,
        ServerRates,
        StorageRates,
    )


def machine_text(found: DoctorResult) -> str:
    """A line for each fact, its name first."""
    packages = (f"{name} {version or 'not installed'}"
                for name, version in found.packages.items())
    return _aligned([
        *_machine_rows(found.machine),
        ("python", found.python),
        ("packages", ", ".join(packages)),
        *_gpu_rows(found),
    ])


def epoch_text(found: DoctorResult) -> str:
    """The measurements, the table, the bottleneck and the change to make."""
    epoch = found.epoch
    assert epoch is not None
    table = [("reading", "images", "images/s", "hours", "limited by")]
    table += [(row.reading, row.variant, f"{row.images_per_second:.0f}",
               _hours(row.hours), row.limit + (" (estimated)" if row.estimated else ""))
              for row in epoch.rows]
    lines = [_aligned([*_measured_rows(epoch), *_gpu_rows(found)]), "", _aligned(table), ""]
    if epoch.page_hours:
        lines.append("random pages of 4 KiB, as the tutorial counts: "
                     f"{_hours(epoch.page_hours)} hours")
    return "\n".join([*lines, *_advice(epoch)])


def _aligned(rows: Sequence[Tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths)).rstrip()
                     for row in rows)


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
        *((folder.use, _room(folder)) for folder in machine.folders),
    ]


def _gpu_rows(found: DoctorResult) -> List[Tuple[str, str]]:
    return [("torch gpu", ", ".join(found.torch_gpus))] if found.torch_gpus else []


def _room(folder: MachineFolder) -> str:
    missing = "" if folder.exists else " (does not exist)"
    return (f"{folder.path}{missing}: {folder.file_system or 'unknown'}, "
            f"{folder.free / 1e9:.1f} of {folder.bytes / 1e9:.1f} GB free")


def _measured_rows(epoch: Epoch) -> List[Tuple[str, str]]:
    samples = f"at least {epoch.samples}" if epoch.more_samples else str(epoch.samples)
    of = f"of split {epoch.split}" if epoch.split else "files"
    rows = [("samples", f"{samples} {of}")]
    if epoch.storage is not None:
        rows.append(("storage", _storage(epoch.storage)))
    if epoch.server is not None:
        rows.append(("server", _server(epoch.server)))
    if epoch.cache is not None:
        rows.append(("cache", _storage(epoch.cache)))
    rows += [(images.variant, _images(images)) for images in epoch.images]
    return [*rows, ("threads", str(epoch.threads))]


def _storage(storage: StorageRates) -> str:
    memory = "; from memory, the disk may be slower" if storage.from_memory else ""
    return (f"{storage.seeks:.0f} seeks a second by {storage.readers} readers, "
            f"{storage.random_bytes / 1e6:.1f} MB a second at random, "
            f"{storage.sequential / 1e6:.1f} MB in order{memory}")


def _server(server: ServerRates) -> str:
    return (f"{server.latency * 1e3:.1f} ms to an answer, "
            f"{server.bytes / 1e6:.1f} MB a second, {server.requests} requests at a time")


def _images(images: ImageRates) -> str:
    crops = f"{images.decoded:.0f} crops a second on a core"
    return (f"{images.bytes / 1e3:.1f} kB an image, "
            + (crops if images.decoded else "nothing to decode")
            + (f", {images.decoded_packed:.0f} once packed" if images.decoded_packed else "")
            + ("; estimated: made in memory" if images.estimated else ""))


def _hours(hours: float) -> str:
    """The text of hours, also for an epoch of seconds."""
    return f"{hours:.{1 if hours >= 10 else 2 if hours >= 0.1 else 7}f}"


def _advice(epoch: Epoch) -> List[str]:
    now, then = epoch.rows[epoch.now], epoch.rows[epoch.then]
    lines = [f"limited by {now.limit} ({now.reading})"]
    if epoch.change == "nothing":
        return [*lines, "change nothing: no other way is a fifth faster"]
    # A loader that shuffles on a disk that seeks is slow for that alone.
    if epoch.change == "blocks" and now.limit == "storage seeks":
        lines.append("warning: a shuffled loader seeks for each image on this disk")
    return [*lines, f"change: {_change(epoch)}: {then.images_per_second:.0f} images a "
                    f"second, not {now.images_per_second:.0f}"]


def _change(epoch: Epoch) -> str:
    then = epoch.rows[epoch.then]
    blocks = 'Loader(order="blocks")'
    if epoch.change == "blocks":
        return blocks
    if epoch.change == "cache":
        return "Dataset(cache_size=) of all samples, and their second epoch"
    change = "shardine.pack(source, out)"
    if epoch.change == "size":
        change = f'Dataset(variant="{then.variant}")'
        if then.estimated:
            change += f', made by shardine.pack(variants="original,{then.variant}")'
    return f"{change}, and {blocks}" if "blocks" in then.reading else change
