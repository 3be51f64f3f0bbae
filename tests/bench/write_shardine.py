"""write_shardine.py FORMAT TREE OUT ENTRY_POINTS THREADS: writes the files of TREE
into about 8 shards with shardine.Writer. Prints how many samples it wrote, and in how
many seconds."""
import json
import os
import sys
import time

import shardine


def main() -> None:
    name, tree, out, entry_points, threads = sys.argv[1:]
    began = time.perf_counter()
    classes = sorted(os.listdir(tree))
    files = [(label, f"{each}/{file}") for label, each in enumerate(classes)
             for file in sorted(os.listdir(os.path.join(tree, each)))]
    total = sum(os.path.getsize(os.path.join(tree, key)) for _, key in files)
    with shardine.Writer(
        out, format=name, shard_size=total // 8 + 1, classes=classes,
        entry_points="none" if entry_points == "none" else "auto", threads=int(threads),
    ) as writer:
        for label, key in files:
            writer.write({"image": os.path.join(tree, key), "label": label}, key=key)
    assert writer.result
    print(json.dumps({"samples": writer.result.samples,
                      "seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main()
