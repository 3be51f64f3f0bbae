"""Samples that are kept: the second epoch asks the server for nothing, and no damage of
the folder, kill or full disk gives a wrong byte or touches files of others."""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

import shardine
from web_servers import asked_since, faulty, nginx
from without_locks import without_flock

pytest_plugins = ["own_cache"]
SHARDINE = os.environ["SHARDINE"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
FORMATS = ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"]
# Reads all samples in an order of its own, over and over, and ends with 3 on a
# byte that is wrong.
READER = """
import random, sys
import shardine
local, address, cache, size, seed = sys.argv[1:]
wanted = [sample.image for sample in shardine.Dataset(local)]
order = list(range(len(wanted)))
draws = random.Random(int(seed))
for _ in range(40):
    dataset = shardine.Dataset(address, cache=cache, cache_size=int(size))
    draws.shuffle(order)
    for position in order:
        if dataset[position].image != wanted[position]:
            sys.exit(3)
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    for name in FORMATS:
        subprocess.run([SHARDINE, "pack", PHOTOS, root / name, f"--format={name}",
                        "--shard-size=256K"], check=True, capture_output=True)
    return root


@pytest.fixture
def address(root: pathlib.Path, tmp_path: pathlib.Path) -> Iterator[str]:
    with nginx(root, tmp_path / "server") as address:
        yield address


def asked(tmp_path: pathlib.Path) -> list[str]:
    """The requests to the server since the last call, but for manifests."""
    return [path for _, path in asked_since(tmp_path / "server" / "access.log")
            if not path.endswith("shardine.json")]


def epoch(path: object, order: str, **options: object) -> list[tuple[object, ...]]:
    dataset = shardine.Dataset(str(path), **options)  # type: ignore[arg-type]
    loader = shardine.Loader(dataset, batch_size=4, order=order,  # type: ignore[arg-type]
                             transform=shardine.RandomResizedCrop(32), last_batch="short")
    return [(batch.ids.tolist(), batch.images.tobytes()) for batch in loader]


@pytest.mark.parametrize("name", FORMATS)
def test_the_second_epoch_asks_the_server_for_nothing(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path, name: str
) -> None:
    options = {"cache": tmp_path / "cache", "cache_size": "1G"}
    for order in ("shuffle", "blocks"):
        wanted = epoch(root / name, order)
        assert epoch(f"{address}/{name}", order, **options) == wanted
        first = asked(tmp_path)
        assert (len(first) > 0) == (order == "shuffle"), first
        assert epoch(f"{address}/{name}", order, **options) == wanted
        assert asked(tmp_path) == []


def test_sidecars_are_kept_without_being_asked_for(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path, own_cache: pathlib.Path
) -> None:
    wanted = epoch(root / "recordio", "shuffle")
    for _ in range(2):
        assert epoch(f"{address}/recordio", "shuffle", cache="off") == wanted
        assert any(path.endswith(".sdx") for path in asked(tmp_path))
    assert epoch(f"{address}/recordio", "shuffle") == wanted
    assert any(path.endswith(".sdx") for path in asked(tmp_path))
    assert epoch(f"{address}/recordio", "shuffle") == wanted
    assert not any(path.endswith((".sdx", ".sde")) for path in asked(tmp_path))
    folder = own_cache / "shardine" / "datasets"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_folder_of_others_is_refused(address: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(shardine.InvalidArgumentError, match=r"files of others, letter\.txt"):
        shardine.Dataset(f"{address}/recordio", cache=tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
    with pytest.raises(shardine.InvalidArgumentError, match="off cannot have a size"):
        shardine.Dataset(f"{address}/recordio", cache="off", cache_size="1G")


def test_a_cache_that_cannot_be_made_is_said_once(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "file").write_text("")
    program = ("import shardine, sys\n"
               "for _ in shardine.Dataset(sys.argv[1], cache=sys.argv[2]): pass")
    done = subprocess.run([sys.executable, "-c", program, f"{address}/recordio",
                           str(tmp_path / "file" / "cache")],
                          capture_output=True, text=True, check=True)
    assert done.stderr.count("\n") == 1
    assert "reads go on without it" in done.stderr


@pytest.fixture
def small_disk(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small disk takes root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_cache_without_locks_is_said_once_and_not_used(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    """Where flock() says ENOSYS; it was waited for, a second for each block."""
    for _ in range(2):
        done = subprocess.run(
            [SHARDINE, "extract", f"{address}/recordio", tmp_path / "out", "--cache",
             tmp_path / "cache", "--cache-size", "1G"], capture_output=True, text=True,
            preexec_fn=without_flock)
        assert done.returncode == 0, done.stderr
        (said,) = [line for line in done.stderr.splitlines() if "the cache" in line]
        assert ": lock: " in said and said.endswith("reads go on without it")
        assert not [path.name for path in (tmp_path / "cache").iterdir()
                    if path.name != "CACHEDIR.TAG"]


def test_a_disk_is_never_filled_and_a_full_one_is_no_failure(
    root: pathlib.Path, address: str, small_disk: pathlib.Path
) -> None:
    def free() -> float:
        facts = os.statvfs(small_disk)
        return facts.f_bavail / facts.f_blocks

    wanted = epoch(root / "recordio", "shuffle")
    with pytest.raises(shardine.InvalidArgumentError, match="root of a disk"):
        shardine.Dataset(f"{address}/recordio", cache=small_disk)
    options = {"cache": small_disk / "cache", "cache_size": "1G"}
    for _ in range(2):
        assert epoch(f"{address}/recordio", "shuffle", **options) == wanted
        assert 0.04 < free() < 0.5
    with contextlib.suppress(OSError), (small_disk / "other").open("wb", 0) as other:
        while True:
            other.write(bytes(4096))
    assert free() == 0
    assert epoch(f"{address}/recordio", "shuffle", **options) == wanted


def test_what_the_system_refuses_to_write_is_said_once(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    program = ("import shardine, sys, resource\n"
               "resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))\n"
               "wanted = [each.image for each in shardine.Dataset(sys.argv[1])]\n"
               "for _ in range(2):\n"
               "    each = shardine.Dataset(sys.argv[2], cache=sys.argv[3])\n"
               "    assert [sample.image for sample in each] == wanted\n")
    done = subprocess.run([sys.executable, "-c", program, str(root / "recordio"),
                           f"{address}/recordio", str(tmp_path / "cache")],
                          capture_output=True, text=True, check=True)
    assert done.stderr.count("\n") == 2  # once of each Dataset
    assert done.stderr.count("reads go on without it") == 2


@pytest.mark.parametrize("verb", ["text", "json"])
def test_the_verb_reads_ahead_verifies_and_clears(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path, verb: str
) -> None:
    cache = tmp_path / "cache"

    def run(*arguments: object) -> tuple[int, str]:
        options = ["--json"] if verb == "json" else []
        done = subprocess.run([SHARDINE, "cache", *map(str, arguments), *options],
                              capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout + done.stderr

    assert run("info", cache)[0] == 5
    code, words = run("prefetch", f"{address}/recordio", "--cache", cache,
                      "--cache-size", "100K")
    assert code == 2
    assert "too many" in words
    code, words = run("prefetch", f"{address}/recordio", "--cache", cache)
    assert code == 2
    assert "without a size" in words
    for _ in range(2):
        code, words = run("prefetch", f"{address}/recordio", "--split", "train", "--cache",
                          cache, "--cache-size", "1G")
        assert code == 0, words
        assert "24" in words
    asked(tmp_path)
    options = {"cache": cache, "cache_size": "1G"}
    assert epoch(f"{address}/recordio", "shuffle", **options) == epoch(
        root / "recordio", "shuffle")
    assert asked(tmp_path) == []
    assert run("verify", cache)[0] == 0
    for suffix in (".side", ".whole"):
        path = next(cache.glob(f"*{suffix}"))
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    code, words = run("verify", cache)
    assert code == 4
    assert "damaged" in words
    assert run("verify", cache)[0] == 0
    assert run("clear", cache)[0] == 0
    assert {path.suffix for path in cache.iterdir()} <= {".TAG", ""}
    assert run("clear", root)[0] == 2
    assert (root / "recordio" / "shardine.json").exists()


@contextlib.contextmanager
def read_only(folder: pathlib.Path) -> Iterator[None]:
    """Makes the folder read-only meanwhile, for root by a mount."""
    if os.geteuid() == 0:
        subprocess.run(["mount", "--bind", folder, folder], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
    else:
        folder.chmod(0o500)
    try:
        yield
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", folder], check=True)
        else:
            folder.chmod(0o700)


def test_what_cannot_be_removed_is_not_said_to_be(
    address: str, tmp_path: pathlib.Path
) -> None:
    cache = tmp_path / "cache"
    epoch(f"{address}/recordio", "shuffle", cache=cache, cache_size="1G")

    def clear() -> subprocess.CompletedProcess[str]:
        return subprocess.run([SHARDINE, "cache", "clear", cache], capture_output=True,
                              text=True, check=False, timeout=60)

    with read_only(cache):
        refused = clear()
    assert refused.returncode == 5, refused.stdout
    assert "unlink: " in refused.stderr and refused.stdout == ""
    assert "removed of" in clear().stdout


def payload_bytes(folder: pathlib.Path) -> int:
    total = 0
    for path in folder.iterdir():
        try:
            total += path.stat().st_blocks * 512
        except FileNotFoundError:
            continue
    return total


def hurt(folder: pathlib.Path, draws: random.Random, *suffixes: str) -> None:
    """Damages a file as crashes, disks and people do."""
    files = [path for path in sorted(folder.iterdir()) if path.suffix in suffixes]
    if not files:
        return
    path = draws.choice(files)
    try:
        size = path.stat().st_size
        kind = draws.randrange(5)
        if kind == 0:
            path.unlink()
        elif kind == 1:
            os.truncate(path, draws.randrange(size + 1))
        else:
            with path.open("r+b") as file:
                file.seek(draws.randrange(max(size, 1)))
                file.write(draws.randbytes(1 if kind < 4 else 5000))
    except FileNotFoundError:
        return


def readers(
    root: pathlib.Path, address: str, cache: pathlib.Path, size: int, seed: int
) -> list[subprocess.Popen[str]]:
    return [subprocess.Popen(
        [sys.executable, "-c", READER, str(root / "recordio"), f"{address}/recordio",
         str(cache), str(size), str(seed + i)], stderr=subprocess.PIPE, text=True)
        for i in range(4)]


@pytest.mark.parametrize("share", [0.4, 4])
def test_no_kill_and_no_damage_gives_a_wrong_byte(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path, share: float
) -> None:
    """Four processes read, some of them are killed, files are hurt meanwhile."""
    all_bytes = sum(path.stat().st_size for path in (root / "recordio").glob("*.rec"))
    limit = int(all_bytes * share)
    largest = max(path.stat().st_size for path in (root / "recordio").glob("*.rec"))
    cache = tmp_path / "cache"
    # Someone put a file into it afterwards.
    shardine.Dataset(f"{address}/recordio", cache=cache, cache_size=limit)
    (cache / "letter.txt").write_text("dear")
    draws = random.Random(17)
    for round_ in range(3):
        running = readers(root, address, cache, limit, round_ * 10)
        for process in running:
            for _ in range(30):
                # A sidecar that is open was checked when it was opened.
                hurt(cache, draws, ".data", ".whole", ".part")
                time.sleep(draws.random() / 100)
                assert payload_bytes(cache) <= limit + largest
            if draws.random() < 0.6:
                process.send_signal(signal.SIGKILL)
        for process in running:
            words = process.communicate(timeout=120)[1]
            assert process.returncode in (0, -signal.SIGKILL), words
        for _ in range(10):
            hurt(cache, draws, ".data", ".whole", ".part", ".side")
    assert (cache / "letter.txt").read_text() == "dear"
    wanted = [sample.image for sample in shardine.Dataset(root / "recordio")]
    for _ in range(2):
        again = shardine.Dataset(f"{address}/recordio", cache=cache, cache_size=limit)
        assert [sample.image for sample in again] == wanted


KILLS = int(os.environ.get("CACHE_KILLS", "60"))


def test_a_kill_at_any_time_leaves_what_is_right(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    """Two processes at a time fill a cache, and die; the folder is never wrong."""
    cache = tmp_path / "cache"
    draws = random.Random(5)
    command = [SHARDINE, "cache", "prefetch", f"{address}/recordio", "--cache", str(cache),
               "--cache-size", "1G", "--quiet"]
    died = 0
    for kill in range(KILLS):
        running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
        for process in running:
            time.sleep(draws.random() * 0.015)
            process.kill()
        died += sum(process.wait() == -signal.SIGKILL for process in running)
        if kill % 10 == 0:
            verified = subprocess.run([SHARDINE, "cache", "verify", str(cache)],
                                      capture_output=True, text=True, check=False)
            # Nothing damaged; or none was made so far, or not yet its mark.
            assert verified.returncode in (0, 2, 5), verified.stderr
            assert (verified.returncode == 0) == (cache / "CACHEDIR.TAG").exists()
        if draws.random() < 0.5 and cache.exists():
            for path in [*cache.glob("*.data"), *cache.glob("*.whole"), *cache.glob("*.side")]:
                path.unlink()
    assert died > KILLS / 2
    again = shardine.Dataset(f"{address}/recordio", cache=cache, cache_size="1G")
    assert [sample.image for sample in again] == [
        sample.image for sample in shardine.Dataset(root / "recordio")]
    assert {path.suffix for path in cache.iterdir()} <= {".side", ".data", ".whole", ".part", ".TAG", ""}


def test_wrong_bytes_of_a_server_do_not_stay(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    wanted = [sample.image for sample in shardine.Dataset(root / "recordio")]
    options = {"cache": tmp_path / "cache", "cache_size": "1G"}
    with faulty(root, "flip", "--rate", "0.3", "--seed", "3") as address:
        for _ in range(20):
            with contextlib.suppress(shardine.CorruptError):
                dataset = shardine.Dataset(f"{address}/recordio",
                                           **options)  # type: ignore[arg-type]
                break
        failed = 0
        for position, image in enumerate(wanted):
            for _ in range(6):
                try:
                    assert dataset[position].image == image
                    break
                except shardine.CorruptError:
                    failed += 1
            else:
                raise AssertionError(f"sample {position} stays wrong")
        again = shardine.Dataset(f"{address}/recordio", **options)  # type: ignore[arg-type]
        assert [sample.image for sample in again] == wanted
    verified = subprocess.run([SHARDINE, "cache", "verify", str(options["cache"])],
                              check=False, capture_output=True)
    assert verified.returncode == 0, verified.stdout
    assert failed > 0


def test_what_came_wrong_once_is_asked_for_once_more_and_not_kept(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    options = {"cache": str(tmp_path / "cache"), "cache_size": "1G"}
    wanted = epoch(root / "recordio", "shuffle")
    with faulty(root, "flip-cached", "--only=.rec") as address:
        assert epoch(f"{address}/recordio", "shuffle", **options) == wanted
    # A sound server gets the requests that the other answered wrong.
    with nginx(root, tmp_path / "server") as address:
        assert epoch(f"{address}/recordio", "shuffle", **options) == wanted
