"""Shared by measuring processes of the benchmarks, whichever virtual environment
they run in (standard library only): CPU seconds of a tree of processes, rates of
epochs, results as one line of JSON, tables of them."""
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence

_TICK = os.sysconf("SC_CLK_TCK")


def _process_table() -> dict[int, tuple[int, float]]:
    """pid -> (parent, CPU seconds of its ended children) of all processes."""
    table = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:  # it ended meanwhile
            continue
        table[int(name)] = int(fields[1]), (int(fields[13]) + int(fields[14])) / _TICK
    return table


def _descendants(table: dict[int, tuple[int, float]]) -> list[int]:
    found = [os.getpid()]
    for parent in found:
        found += [pid for pid, (of, _) in table.items() if of == parent]
    return found[1:]


def cpu_seconds() -> float:
    """User and system time so far of this process and all below it, ended or not."""
    table = _process_table()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + ended.ru_utime + ended.ru_stime
    for pid in _descendants(table):
        try:  # clock_getcpuclockid(3): nanoseconds, where /proc counts ticks
            total += time.clock_gettime((~pid << 3) | 2) + table[pid][1]
        except OSError:
            pass
    return total


def machine_seconds() -> float:
    """CPU seconds of the whole machine: other programs disturb the wall clock."""
    with open("/proc/stat") as file:
        fields = [int(field) for field in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / _TICK


def memory_mib() -> float:
    """Proportional memory of this process and all below it."""
    total = 0
    for pid in [os.getpid(), *_descendants(_process_table())]:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except OSError:
            pass
    return total / 1024


def measure_epochs(epoch: Callable[[], int], seconds: float, at_least: int = 3) -> dict[str, float]:
    """Medians of epochs for at least so many seconds; `epoch` runs one and returns
    its items. The epoch that warms everything up is the caller's. "others": the
    processors that other programs kept busy meanwhile."""
    per_s: list[float] = []
    per_cpu_s: list[float] = []
    others: list[float] = []
    until = time.perf_counter() + seconds
    while len(per_s) < at_least or time.perf_counter() < until:
        machine, cpu, wall = machine_seconds(), cpu_seconds(), time.perf_counter()
        items = epoch()
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        others.append((machine_seconds() - machine - cpu) / wall)
        per_s.append(items / wall)
        per_cpu_s.append(items / cpu)
    return {"per_s": statistics.median(per_s), "per_cpu_s": statistics.median(per_cpu_s),
            "epochs": len(per_s), "memory_mib": round(memory_mib()),
            "others": round(max(0.0, statistics.median(others)), 2)}


def finish(**figures: object) -> None:
    """Prints the result and ends this process and those below it at once: some
    libraries hang in their shutdown, which is not measured."""
    print(json.dumps(figures), flush=True)
    for pid in _descendants(_process_table()):
        os.kill(pid, 9)
    sys.stderr.flush()
    os._exit(0)


def table(rows: Iterable[Sequence[object]]) -> str:
    """Aligned columns, the first to the left; None is an empty cell."""
    cells = [["" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)
              for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(cell.rjust(width) if i else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
                     for row in cells)
