"""What mypy says of calls of the verbs. It is no test that runs: mypy's strict
mode refuses an ignored error that is none, so each of these is one."""

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
