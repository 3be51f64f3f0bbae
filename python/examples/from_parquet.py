"""from_parquet.py FILE OUT: rows of a Parquet file become shards. Needs pyarrow.

Its columns are image (encoded, or Hugging Face's struct of bytes and path), label (a
number) and caption (text); groups of rows are read one after the other, so that the
file may be larger than memory. A value that is null is missing."""

import sys
from typing import Any

import pyarrow.parquet

import shardine


COLUMNS = ("image", "label", "caption")


def sample_of(row: dict[str, Any]) -> dict[str, Any]:
    sample = {name: row.get(name) for name in COLUMNS}
    image = sample["image"]
    if isinstance(image, dict):
        sample["image"] = image["bytes"] if image["bytes"] is not None else image["path"]
    return sample


def main(file: str, out: str) -> None:
    table: Any = pyarrow.parquet.ParquetFile(file)
    with shardine.Writer(out, format="tfrecord", shard_size="256M") as writer:
        for rows in table.iter_batches(batch_size=256):
            for row in rows.to_pylist():
                writer.write(sample_of(row))
    print(writer.result)


if __name__ == "__main__":
    main(*sys.argv[1:])
