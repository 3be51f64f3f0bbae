"""from_sqlite.py DATABASE OUT: rows of a database become shards.

The table `pictures` has the columns name, image (encoded) and species."""

import sqlite3
import sys

import shardine


def main(database: str, out: str) -> None:
    rows = sqlite3.connect(database)
    species = [name for name, in rows.execute(
        "SELECT DISTINCT species FROM pictures ORDER BY species")]
    with shardine.Writer(out, format="webdataset", classes=species) as writer:
        for name, image, label in rows.execute(
                "SELECT name, image, species FROM pictures ORDER BY name"):
            writer.write({"image": image, "label": label}, key=name)
        # The rows came by name: a random order is for training.
        print(writer.close(reshuffle=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
