"""`shardine view`: the program has read the options, and gives the port, the key of a
sample to draw in the terminal or nothing, and the datasets."""

from __future__ import annotations

import shutil
import sys
from typing import List

from ..errors import ShardineError
from .browsing import Browsed, place_of
from .drawing import blocks, drawn
from .server import Viewer


def _draw(path: str, key: str) -> int:
    browsed = Browsed(path)
    try:
        split, position = place_of(browsed, key)
    except KeyError:
        print(f"shardine: {path!r} has no sample {key!r}", file=sys.stderr)
        return 1
    sample = browsed.sample(split, position)
    size = shutil.get_terminal_size()
    image, problems = drawn(sample, 2048)
    sys.stdout.write(blocks(image, size.columns, size.lines - 2))
    labels = browsed.label_text(sample.labels) or "none"
    # ASCII escapes: nothing that a terminal obeys.
    line = f"{split} {position}: {sample.key}, label {labels}"
    print("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line))
    for problem in problems:
        print(f"shardine: {ascii(problem)[1:-1]}", file=sys.stderr)
    return 0


def main(port: int, key: str, datasets: List[str]) -> int:
    """The exit code."""
    try:
        if key:
            return _draw(datasets[0], key)
        with Viewer(datasets, port) as viewer:
            print(viewer.url, flush=True)
            viewer.wait()
    except KeyboardInterrupt:
        return 0  # the way to end it
    except (ShardineError, ImportError, OSError, ValueError) as error:
        print(f"shardine: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
