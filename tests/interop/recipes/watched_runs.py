"""Runs recipes of python/examples/README.md in processes of their own, on a dataset as
the page packs it, and returns the batches that they trained and validated on."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
import recipe_blocks
from free_ports import free_port

import shardine

HERE = pathlib.Path(__file__).parent
PHOTOS = pathlib.Path(os.environ["PHOTOS"])
BATCH, EPOCHS, TRAIN, VAL = 32, 3, 240, 45  # of the page; of the dataset made here
STEPS = TRAIN // BATCH
MEAN = numpy.array([0.485, 0.456, 0.406], "f4") * 255
STD = numpy.array([0.229, 0.224, 0.225], "f4") * 255


class Taken(NamedTuple):
    """Checksums of the images of each batch, in the order of steps."""

    train: list[list[int]]
    val: list[list[int]]


def checksums(images: Any, every: int = 4) -> list[int]:
    """Checksums of normalized images, as the loader's arithmetic or a prefetcher's
    makes them: in levels, as their last bits differ; of each fourth row and column."""
    array = numpy.asarray(images, dtype="f4")
    if array.shape[-1] != 3:
        array = array.transpose(0, 2, 3, 1)
    array = array[:, ::every, ::every]
    levels = numpy.rint(array * STD + MEAN).astype("u1")
    return [zlib.crc32(image.tobytes()) for image in levels]


def pack_photos(folder: pathlib.Path) -> pathlib.Path:
    """A folder with the page's "data", whose samples have a class each."""
    photos = sorted(PHOTOS.glob("*/*"))
    for split, samples in (("train", TRAIN), ("val", VAL)):
        for number in range(samples):
            of_class = folder / "photos" / split / f"{number:03}"
            of_class.mkdir(parents=True)
            photo = photos[number % len(photos)]
            shutil.copy(photo, of_class / photo.name)
    path = os.pathsep.join([str(pathlib.Path(os.environ["SHARDINE"]).parent),
                            os.environ["PATH"]])
    subprocess.run(["sh", "-e", "-c", recipe_blocks.shell_lines()], cwd=folder, check=True,
                   capture_output=True, env={**os.environ, "PATH": path})
    return folder


def whole_epoch(folder: pathlib.Path, epoch: int, **options: Any) -> list[int]:
    """All samples of an epoch of training, in its order."""
    options.setdefault("seed", 1)
    loader = shardine.TrainLoader(
        shardine.Dataset(folder / "data", split="train"), batch_size=BATCH,
        last_batch="short", dtype="float32", normalize="imagenet", **options)
    loader.set_epoch(epoch)
    return [each for images, _ in loader for each in checksums(images)]


def plain_run(folder: pathlib.Path) -> list[list[int]]:
    """Batches of the page's epochs as a plain loop on one process gets them."""
    epochs = [whole_epoch(folder, epoch) for epoch in range(EPOCHS)]
    return [epoch[step * BATCH:(step + 1) * BATCH] for epoch in epochs
            for step in range(STEPS)]


def validation(folder: pathlib.Path) -> Counter[int]:
    loader = shardine.EvalLoader(
        shardine.Dataset(folder / "data", split="val"), batch_size=BATCH,
        dtype="float32", normalize="imagenet")
    return Counter(each for images, _ in loader for each in checksums(images))


def _environment(record: pathlib.Path, rank: int, world: int, port: int) -> dict[str, str]:
    made = {**os.environ, "OMP_NUM_THREADS": "1", "WATCHED_RECORD": str(record),
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ["PYTHONPATH"]])}
    if world > 1:  # as torchrun says it
        made |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "GROUP_RANK": "0",
                 "WORLD_SIZE": str(world), "LOCAL_WORLD_SIZE": str(world),
                 "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                 "TORCHELASTIC_RUN_ID": "recipe"}
    return made


def run_recipe(folder: pathlib.Path, heading: str, name: str, *, world: int = 1,
               die_at: int = 0, arguments: Sequence[str] = (), block: int = 0) -> list[Taken]:
    """The batches of each rank. In `folder`, whose "data" it reads; name: of this run's
    records. die_at: the batch of training at which it is killed. arguments: of
    watched_recipe.py."""
    port = free_port()
    records = [folder / f"{name}-{rank}.jsonl" for rank in range(world)]
    running = [
        subprocess.Popen(
            [sys.executable, "-B", "-W", "ignore", str(HERE / "watched_recipe.py"), heading,
             str(block), *arguments],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=_environment(record, rank, world, port) | {"WATCHED_DIE_AT": str(die_at)})
        for rank, record in enumerate(records)]
    for each in running:
        said, _ = each.communicate(timeout=500)
        assert each.returncode == (-signal.SIGKILL if die_at else 0), said
    return [_taken(record) for record in records]


def _taken(record: pathlib.Path) -> Taken:
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    return Taken([sums for training, sums in lines if training],
                 [sums for training, sums in lines if not training])


def assert_ranks_share(folder: pathlib.Path, ranks: list[Taken], **options: Any) -> None:
    """Each sample of an epoch of loaders with these options is taken by one rank, once;
    but for those that fill no step."""
    steps = TRAIN // (BATCH * len(ranks))
    for epoch in range(EPOCHS):
        taken = [each for rank in ranks
                 for batch in rank.train[epoch * steps:(epoch + 1) * steps] for each in batch]
        assert len(taken) == steps * BATCH * len(ranks)
        assert not Counter(taken) - Counter(whole_epoch(folder, epoch, **options))
    assert {len(rank.train) for rank in ranks} == {EPOCHS * steps}
