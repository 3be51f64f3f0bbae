"""What the scripts load_NAME.py share. Each is one loader, on two threads or
processes, random crops and flips to uint8 batches of 64, in the virtual
environment that has it:

  load_NAME.py DATA SIZE SECONDS [MODE]

Prints one JSON object: "images", "seconds" and "cpu_seconds" (of the process and
all below it) of the epochs behind the first, "mean" of the first one's pixels,
"first_batch", seconds from the construction of the loader, imports before it not
counted, "version".
"""
import glob
import json
import os
import signal
import sys
import time

BATCH = 64
AREA = (0.08, 1.0)
RATIO = (3 / 4, 4 / 3)

_TICK = os.sysconf("SC_CLK_TCK")


def _process_tree():
    """{pid: CPU seconds, with those of children that ended}."""
    children, seconds = {}, {}
    for name in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(name) as f:
                pid, fields = f.read().split(" ", 1)
        except OSError:  # it ended
            continue
        fields = fields.rsplit(")", 1)[1].split()
        children.setdefault(int(fields[1]), []).append(int(pid))
        seconds[int(pid)] = sum(map(int, fields[11:15])) / _TICK
    found, left = {}, [os.getpid()]
    while left:
        pid = left.pop()
        found[pid] = seconds.get(pid, 0.0)
        left += children.get(pid, [])
    return found


def _cpu_seconds():
    return sum(_process_tree().values())


def _check(batch, size):
    if str(batch.dtype) != "uint8" or sorted(batch.shape[1:]) != sorted((size, size, 3)):
        sys.exit(f"batches are {batch.shape} of {batch.dtype}")


def _warm(epoch, size, begin):
    """The first epoch: (seconds to the first batch, mean of the pixels)."""
    first, images, total = None, 0, 0.0
    for batch in epoch():
        first = first or time.perf_counter() - begin
        _check(batch, size)
        images += len(batch)
        total += float(batch.mean()) * len(batch)
    return first, total / images


def measure(make, version):
    """make(data, size, mode) -> epoch; epoch() yields the NumPy batches of one."""
    data, size, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    begin = time.perf_counter()
    epoch = make(data, size, *sys.argv[4:])
    first, mean = _warm(epoch, size, begin)
    images, touched = 0, 0
    begin, cpu = time.perf_counter(), _cpu_seconds()
    while time.perf_counter() - begin < seconds:
        for batch in epoch():
            images += len(batch)
            touched += int(batch[-1, -1, -1, -1])
    figures = {"images": images, "seconds": time.perf_counter() - begin,
               "cpu_seconds": _cpu_seconds() - cpu, "mean": mean,
               "first_batch": first, "version": version}
    print(json.dumps(figures), flush=True)
    # Some hang when they end, which is not what is measured.
    for pid in _process_tree():
        if pid != os.getpid():
            os.kill(pid, signal.SIGKILL)
    os._exit(0)
