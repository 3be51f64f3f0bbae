"""mypy's verdict on calls of the verbs. It is no test that runs: mypy's strict mode
refuses an ignored error that does not occur, so each ignored error here is one."""

import pathlib

import shardine


def right(folder: pathlib.Path) -> None:
    done = shardine.pack({"train": folder}, "out", on_bad="skip", quality=80)
    digest: str = done.content_digest
    shardine.verify(b"out", level="deep", progress=lambda now: now.samples)
    shardine.convert([folder, "other"], "out", pixels="rgb", fields=[digest])


def wrong(folder: pathlib.Path) -> None:
    shardine.pack(folder, "out", on_bad="skipp")  # type: ignore[arg-type]
    shardine.pack(folder, "out", jobs="3")  # type: ignore[arg-type]
    shardine.pack(folder, "out", num_workers=3)  # type: ignore[call-arg]
    shardine.plan_pack(folder, "out", filter="cubic")  # type: ignore[arg-type]
    shardine.verify(folder, level="fast")  # type: ignore[arg-type]
    shardine.convert(folder, "out", pixels="bgra")  # type: ignore[arg-type]
    shardine.index(3, "out")  # type: ignore[arg-type]
    shardine.info(folder).samples = 3  # type: ignore[misc]


def forms(folder: pathlib.Path) -> None:
    tree: int = shardine.resize(folder, "out", short_side=[160, 320]).files_reused
    shards: str = shardine.resize(folder, "o", to="shards", short_side=tree).format
    entries: bool = shardine.reindex(shards).datasets[0].samples > 0
    native: str = shardine.reindex([folder], native=True, replace=entries)[0].index
    image: bytes = shardine.cat(folder, native)
    for row in shardine.ls(folder):
        image = shardine.cat(folder, row.key, split=row.split)
    shardine.merge([image, folder], "out", prefix="{n}/").to_dict()
    joined: int = shardine.join(folder, jobs=2, progress=False).samples
    shardine.Writer(folder, part=joined, parts=8)


def wrong_forms(folder: pathlib.Path) -> None:
    shardine.resize(folder, "out", to="shard", short_side=8)  # type: ignore[call-overload]
    shardine.resize(folder, "o", short_side=8).shards  # type: ignore[attr-defined]
    shardine.relabel(folder, "o", "l", by="name")  # type: ignore[arg-type]
    shardine.scan(folder, check="none")  # type: ignore[arg-type]
    shardine.merge(folder, "out")  # type: ignore[arg-type]
    shardine.join(folder, parts=2)  # type: ignore[call-arg]
    shardine.Writer(folder, part="0", parts=2)  # type: ignore[arg-type]
    shardine.reindex(folder, native=True, entry_points="none")  # type: ignore[call-overload]


def wrong_loaders(folder: pathlib.Path) -> None:
    load = shardine.Loader
    load(folder, batch_size=8, raw=True, order="ratio", last_batch="roll")
    load(folder, batch_size=8, raw=True, order="random")  # type: ignore[arg-type]
    load(folder, batch_size=8, raw=True, last_batch="keep")  # type: ignore[arg-type]
    load(folder, batch_size=8, raw=True, dtype="float64")  # type: ignore[arg-type]
    load(folder, batch_size=8, raw=True, layout="NCHW")  # type: ignore[arg-type]
