#!/usr/bin/env python3
"""write_many.py SAMPLES FOLDER: so many tiny samples through a Writer in FOLDER.

Fails if memory grows with them: from the middle to the last sample by more than
GROWTH MiB, or in close(), which compares the keys of all shards, by more than CLOSING.
Prints one JSON line.
"""
import json
import os
import resource
import sys
import time

import shardine

SHARD = "64M"  # about 600,000 samples
GROWTH = 64
CLOSING = 160


def memory() -> int:
    """Resident, now; MiB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20


def main() -> None:
    samples, out = int(sys.argv[1]), os.path.join(sys.argv[2], "many")
    began = time.monotonic()
    with shardine.Writer(out, format="tfrecord", shard_size=SHARD,
                         classes=["even", "odd"]) as writer:
        for number in range(samples):
            writer.write({"label": number & 1, "text": b"%020d" % number})
            if number == samples // 2:
                settled = memory()
        written, seconds = memory(), time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    closed = time.monotonic() - began
    dataset = shardine.Dataset(out)
    last = dataset[samples - 1]
    figures = {
        "samples": len(dataset), "per_second": round(samples / seconds),
        "closing_seconds": round(closed - seconds, 1), "settled_mib": settled,
        "written_mib": written, "peak_mib": peak,
    }
    print(json.dumps(figures))
    assert len(dataset) == samples
    assert last.fields["text"] == b"%020d" % (samples - 1)
    assert written < settled + GROWTH and peak < written + CLOSING
    assert shardine.verify(out).sound


if __name__ == "__main__":
    main()
