"""Requests to servers in advance: fewer of them, the same batches, and errors of their
own where one fails."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import shardine
from web_servers import asked_since, faulty, nginx

pytest_plugins = ["own_cache"]
SHARDINE = os.environ["SHARDINE"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
FORMATS = ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"]
FAULTS = ["none", "delay", "reset", "reset-body", "close", "short-length", "longer",
          "wrong-range", "503", "429", "whole", "http10"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    for name in FORMATS:
        subprocess.run([SHARDINE, "pack", PHOTOS, root / name, f"--format={name}",
                        "--shard-size=512K"], check=True, capture_output=True)
    return root


def epochs(
    path: object, count: int = 2, pause: float = 0, **options: object
) -> list[bytes]:
    """The images of epochs as they are stored, for a slow consumer."""
    usual = {"batch_size": 8, "block": 8, "window": 2, "last_batch": "short"}
    loader = shardine.Loader(shardine.Dataset(str(path)), raw=True, seed=5,
                             **(usual | options))  # type: ignore[arg-type]
    images = []
    for _ in range(count):
        for batch in loader:
            time.sleep(pause)
            images += [bytes(image) for image in batch.fields["image"]]
    return images


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("order", ["blocks", "sequential"])
def test_batches_are_those_of_local_files(
    root: pathlib.Path, tmp_path: pathlib.Path, name: str, order: str
) -> None:
    wanted = epochs(root / name, order=order)
    with nginx(root, tmp_path) as address:
        for held in (0, 1000, 300_000, 1 << 30):
            assert epochs(f"{address}/{name}", order=order, fetch_bytes=held) == wanted


@pytest.mark.parametrize("last", ["drop", "short", "pad", "roll"])
def test_batches_of_ranks_are_those_of_local_files(
    root: pathlib.Path, tmp_path: pathlib.Path, last: str
) -> None:
    with nginx(root, tmp_path) as address:
        for rank in range(3):
            wanted, got = (
                epochs(path, order="blocks", rank=rank, world=3, last_batch=last)
                for path in (root / "tfrecord", f"{address}/tfrecord"))
            assert got == wanted


def requests(log: pathlib.Path) -> Counter[str]:
    """Numbers of requests, by the ending of the requested path."""
    return Counter(path.rsplit(".", 1)[-1] for _, path in asked_since(log))


def test_blocks_take_few_requests(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    counts = {}
    with nginx(root, tmp_path) as address:
        for held in (0, 1 << 30):
            epochs(f"{address}/recordio", 8, 0.1, order="blocks", fetch_bytes=held,
                   readers=1, prefetch=1)
            counts[held] = requests(tmp_path / "access.log")["rec"]
    samples = len(epochs(root / "recordio", 1))
    # Neighbouring samples of a chunk are asked for together.
    assert counts[0] > 3 * samples
    # A window that readers come to before it was asked for costs more.
    assert counts[1 << 30] < counts[0] * 0.8


def test_blocks_of_ranks_take_few_requests(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    counts = {}
    with nginx(root, tmp_path) as address:
        for held in (0, 1 << 30):
            for rank in range(2):
                epochs(f"{address}/recordio", 8, 0.1, order="blocks", fetch_bytes=held,
                       readers=1, prefetch=1, rank=rank, world=2, block=16,
                       batch_size=4)
            counts[held] = requests(tmp_path / "access.log")["rec"]
    assert counts[1 << 30] < counts[0] * 0.8


def bucketed(
    path: object, count: int = 2, pause: float = 0, **options: object
) -> list[tuple[object, list[int]]]:
    """Shapes and ids of batches in buckets."""
    usual = {"batch_size": 4, "block": 8, "window": 2, "last_batch": "short",
             "buckets": [(32, 32), (24, 32), (32, 24)], "order": "blocks"}
    loader = shardine.Loader(shardine.Dataset(str(path)), seed=5,
                             transform=shardine.Resize(32),
                             **(usual | options))  # type: ignore[arg-type]
    batches: list[tuple[object, list[int]]] = []
    for _ in range(count):
        for batch in loader:
            time.sleep(pause)
            batches.append((batch.images.shape, batch.ids.tolist()))
    return batches


def test_batches_in_buckets_are_those_of_local_files_for_few_requests(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    counts = {}
    with nginx(root, tmp_path) as address:
        for last in ("drop", "short", "pad", "roll"):
            for rank in range(2):
                own: dict[str, Any] = {"last_batch": last, "rank": rank, "world": 2,
                                       "batch_size": 1}
                assert bucketed(f"{address}/tfrecord", **own) == bucketed(
                    root / "tfrecord", **own
                )
        requests(tmp_path / "access.log")
        for held in (0, 1 << 30):
            bucketed(f"{address}/recordio", 8, 0.1, fetch_bytes=held, readers=1,
                     prefetch=1)
            counts[held] = requests(tmp_path / "access.log")["rec"]
    assert counts[1 << 30] < counts[0] * 0.8


@pytest.mark.parametrize("fault", FAULTS)
def test_an_epoch_survives_failures_of_what_was_asked_for_in_advance(
    root: pathlib.Path, fault: str
) -> None:
    wanted = epochs(root / "recordio", order="blocks")
    with faulty(root, fault, "--rate=0.2", "--seed=4") as address:
        assert epochs(f"{address}/recordio", order="blocks") == wanted


@pytest.mark.parametrize("fault", ["replaced", "404", "wrong-etag", "flip"])
def test_a_server_that_always_fails_is_an_error_that_names_the_object(
    root: pathlib.Path, fault: str
) -> None:
    with faulty(root, fault, "--rate=0.5", "--always", "--seed=2") as address:
        # One opening: "replaced" comes after some requests, and between two openings
        # it would be no fault.
        with pytest.raises(shardine.ShardineError) as raised:
            epochs(f"{address}/recordio", 30, order="blocks")
    assert f"{address}/recordio" in str(raised.value)


def test_a_file_that_is_replaced_in_mid_epoch_is_never_mixed_in(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    copied = tmp_path / "root" / "set"
    shutil.copytree(root / "recordio", copied)
    with nginx(tmp_path / "root", tmp_path / "nginx") as address:
        dataset = shardine.Dataset(f"{address}/set")
        loader = shardine.Loader(dataset, batch_size=4, raw=True, order="blocks",
                                 block=4, window=1, seed=1)
        batches = iter(loader)
        next(batches)
        for shard in copied.glob("*.rec"):
            # The new file has the same size, another date and so another tag.
            damaged = bytes(byte ^ 1 for byte in shard.read_bytes())
            shard.unlink()
            shard.write_bytes(damaged)
            os.utime(shard, (1e9, 1e9))
        with pytest.raises((shardine.ChangedError, shardine.CorruptError)):
            for _ in range(3):
                for _ in loader:
                    pass


def test_closing_ends_what_was_asked_for_at_once(root: pathlib.Path) -> None:
    with faulty(root, "late-stall", "--rate=1", "--always", "--seed=2") as address:
        dataset = shardine.Dataset(f"{address}/recordio")
        loader = shardine.Loader(dataset, batch_size=2, raw=True, order="blocks",
                                 block=8, window=2, seed=1)
        ended = []

        def consume() -> None:
            try:
                while True:
                    for _ in loader:
                        pass
            except Exception as error:
                ended.append(error)

        consumer = threading.Thread(target=consume)
        consumer.start()
        time.sleep(1.5)
        assert consumer.is_alive(), ended
        began = time.monotonic()
        loader.close()
        consumer.join()
        assert time.monotonic() - began < 2


def test_loaders_that_were_forked_ask_for_themselves(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    wanted = epochs(root / "recordio", 1, order="blocks")
    with nginx(root, tmp_path) as address:
        dataset = shardine.Dataset(f"{address}/recordio")
        assert len(dataset) == len(wanted)
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                same = epochs(f"{address}/recordio", 1, order="blocks") == wanted
                os._exit(0 if same else 1)
            children.append(child)
        for child in children:
            assert os.waitpid(child, 0)[1] == 0


def test_a_loader_of_several_ranks_gives_their_shares(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    wanted = sorted(epochs(root / "recordio", 1))
    with nginx(root, tmp_path) as address:
        path = f"{address}/recordio"
        shares = [epochs(path, 1, order="blocks", rank=rank, world=2)
                  for rank in range(2)]
    assert sorted(shares[0] + shares[1]) == wanted


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """240 samples in three shards, which cost 72 s of waits of 300 ms one by one."""
    many = tmp_path_factory.mktemp("many")
    shutil.copytree(PHOTOS, many / "photos")
    for file in sorted((many / "photos").glob("*/*")):
        for copy in range(9):
            os.link(file, file.with_name(f"{copy}_{file.name}"))
    subprocess.run([SHARDINE, "pack", many / "photos", many / "set", "--shards=3",
                    "--entry-points=none"], check=True, capture_output=True)
    samples = subprocess.run([SHARDINE, "ls", many / "set"], check=True, capture_output=True,
                             text=True).stdout
    (many / "ls").write_text(samples)
    rows = [line.split("\t") for line in samples.splitlines()]
    (many / "other.lst").write_text("".join(
        f"{row[0]}\t{(int(row[2]) + 1) % 4}\t{row[3]}\n" for row in rows))
    subprocess.run([SHARDINE, "relabel", many / "set", many / "other", many / "other.lst",
                    "--entry-points=none"], check=True, capture_output=True)
    subprocess.run([SHARDINE, "convert", many / "set", many / "tars", "--format=webdataset",
                    "--entry-points=none"], check=True, capture_output=True)
    # Shards that no manifest names.
    (many / "foreign").mkdir()
    for shard in (many / "tars").glob("*.tar"):
        shutil.move(shard, many / "foreign" / shard.name)
    return many


@contextlib.contextmanager
def late(
    root: pathlib.Path, milliseconds: int
) -> Iterator[tuple[dict[str, str], Callable[[], dict[str, int]]]]:
    """A server whose answers are late, with `root` as the bucket `data`: the settings
    of a user of it, and the requests since the last call."""
    bucket = root / "buckets"
    bucket.mkdir(exist_ok=True)
    if not (bucket / "data").exists():
        (bucket / "data").symlink_to(root)
    with faulty(bucket, "none", f"--delay-ms={milliseconds}") as address:
        def counts() -> dict[str, int]:
            with urllib.request.urlopen(f"{address}/-/counts") as answer:
                return dict(json.load(answer))

        yield os.environ | {
            "AWS_ENDPOINT_URL_S3": address, "AWS_ACCESS_KEY_ID": "A", "AWS_REGION": "none",
            "AWS_SECRET_ACCESS_KEY": "S", "NO_PROXY": "127.0.0.1"}, counts


@pytest.mark.parametrize("command", [
    ["convert", "SET", "out", "--format=tfrecord"],
    ["convert", "FOREIGN", "out", "--format=tfrecord"],
    ["shuffle", "SET", "out"],
    ["merge", "SET", "SET", "out", "--prefix={n}/"],
    ["resize", "SET", "out", "--to=shards", "--short-side=16"],
    ["resize", "TREE", "out", "--short-side=16"],
    ["extract", "SET", "out"],
    ["scan", "TREE"],
    ["diff", "SET", "OTHER"],
    ["audit", "SET"],
    ["cat", "SET", "KEYS"],
], ids=lambda command: "-".join(command[:2]))
def test_verbs_ask_for_many_at_once(
    many: pathlib.Path, tmp_path: pathlib.Path, command: list[str]
) -> None:
    """field report C2: they asked for as many as there are processors."""
    keys = [line.split("\t")[3] for line in (many / "ls").read_text().splitlines()]
    foreign = sorted(path.name for path in (many / "foreign").iterdir())

    def run(place: str, env: dict[str, str]) -> dict[str, bytes]:
        places = {"SET": [f"{place}/set"], "OTHER": [f"{place}/other"], "KEYS": keys,
                  "TREE": [f"{place}/photos"],
                  "FOREIGN": [f"{place}/foreign/{name}" for name in foreign]}
        words = [word for each in command for word in places.get(each, [each])]
        done = subprocess.run([SHARDINE, *words], cwd=tmp_path, capture_output=True, env=env)
        assert done.returncode == (4 if command[0] == "diff" else 0), done.stderr
        out = tmp_path / "out"
        made = {str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*")
                if file.is_file() and file.name != "shardine.json"}  # names its sources
        shutil.rmtree(out, ignore_errors=True)
        return made or {"": done.stdout.replace(place.encode(), b"")}

    wanted = run(str(many), dict(os.environ))
    with late(many, 200) as (env, counts):
        begin = time.monotonic()
        assert run("s3://data", env) == wanted
        seconds = time.monotonic() - begin
    # Samples one by one would take 48 s; two processors, 24 s.
    assert seconds < 12


def test_a_scan_asks_for_as_many_as_a_server_is_late_and_no_more(
    many: pathlib.Path
) -> None:
    most = {}
    for jobs in (1, 2):
        with late(many, 200) as (env, counts):
            subprocess.run([SHARDINE, "scan", "s3://data/photos", f"--jobs={jobs}"],
                           check=True, capture_output=True, env=env)
            asked = counts()
        assert asked["requests"] < 250  # 240 files, and their listing
        most[jobs] = asked["most_under_way"]
    assert min(most.values()) > 60


def test_an_audit_has_its_candidates_after_six_waits(many: pathlib.Path) -> None:
    with late(many, 500) as (env, _):
        begin = time.monotonic()
        subprocess.run([SHARDINE, "audit", "s3://data/set", "--index-only", "--cache=off"],
                       check=True, capture_output=True, env=env)
        seconds = time.monotonic() - begin
    assert seconds < 6 * 0.5 + 0.5
