"""from_parquet.py FILE OUT: rows of a Parquet file become shards. Needs pyarrow.

Its columns are image (encoded), label (a number) and caption (text); groups of rows
are read one after the other, so that the file may be larger than memory."""

import sys
from typing import Any

import pyarrow.parquet

import shardine


def main(file: str, out: str) -> None:
    table: Any = pyarrow.parquet.ParquetFile(file)
    with shardine.Writer(out, format="tfrecord", shard_size="256M") as writer:
        for rows in table.iter_batches(batch_size=256):
            for row in rows.to_pylist():
                writer.write({name: row[name] for name in ("image", "label", "caption")})
    print(writer.result)


if __name__ == "__main__":
    main(*sys.argv[1:])
