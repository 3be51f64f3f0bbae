"""An epoch over a server that fails is the epoch of the local files, or an error
that names the address."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from free_ports import free_port

import shardine
from web_servers import fault_server, faulty

pytest_plugins = ["own_cache"]
SHARDINE = os.environ["SHARDINE"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
# Deadline of one epoch; a longer one hangs.
DEADLINE_S = 50
# Read by the engine of this process when it starts.
os.environ["SHARDINE_REMOTE_PATIENCE"] = "10"


@pytest.fixture(autouse=True)
def deadline() -> Iterator[None]:
    signal.alarm(DEADLINE_S)
    yield
    signal.alarm(0)


def pack(out: pathlib.Path, *options: str) -> pathlib.Path:
    subprocess.run([SHARDINE, "pack", PHOTOS, out, *options], check=True,
                   capture_output=True)
    return out


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The same photos as shards of two formats."""
    root = tmp_path_factory.mktemp("root")
    for name in ("recordio", "lmdb"):
        pack(root / name, f"--format={name}", "--shard-size=128K", "--seed=7")
    return root


def epoch(path: str | pathlib.Path) -> str:
    """A digest of an epoch's ids, labels and pixels, in their order."""
    loader = shardine.Loader(
        str(path), batch_size=5, transform=shardine.RandomResizedCrop(32), readers=8)
    digest = hashlib.sha256()
    for batch in loader:
        for array in (batch.ids, batch.labels, batch.images):
            digest.update(array.tobytes())
    return digest.hexdigest()


# Faults that the next try of the same range mends.
PASSING = ["none", "delay", "drip", "reset", "reset-body", "close", "short-length",
           "longer", "endless", "wrong-range", "no-etag", "500", "502", "503", "504", "408", "429", "retry-after",
           "whole", "gzip", "huge-head", "no-head", "redirect", "http10",
           "keep-alive-3", "close-body", "redirect-garbage", "mix"]


@pytest.mark.parametrize("fault", PASSING)
def test_an_epoch_survives_a_server_that_fails_now_and_then(
    root: pathlib.Path, fault: str
) -> None:
    # Each of these takes seconds to be seen.
    rate = 0.03 if fault in ("drip", "retry-after") else 0.2 if fault == "mix" else 0.3
    name = "lmdb" if fault in ("reset-body", "503", "redirect") else "recordio"
    with faulty(root, fault, f"--rate={rate}", "--seed=3") as address:
        assert epoch(f"{address}/{name}") == epoch(root / name)


# Later answers are compared with a first one that has them.
@pytest.mark.parametrize("fault", ["wrong-total", "wrong-etag", "weak-etag"])
def test_an_answer_that_names_another_object_is_never_mixed_in(
    root: pathlib.Path, fault: str
) -> None:
    for seed in range(4):
        with faulty(root, fault, "--rate=0.1", f"--seed={seed}") as address:
            try:
                assert epoch(f"{address}/recordio") == epoch(root / "recordio")
            except (shardine.ChangedError, shardine.CorruptError) as error:
                assert f"{address}/recordio/" in str(error)


# Faults that no further try mends, and the words of the error beside the address.
LASTING = {
    "whole": ("remote", "the server has no ranges"),
    "gzip": ("remote", "Content-Encoding gzip"),
    "wrong-range": ("remote", "asked for"),
    "longer": ("remote", "not that of the range"),
    "huge-head": ("remote", "whose head has no end"),
    "redirect-loop": ("remote", "redirects"),
    "redirect-file": ("remote", "file"),
    "403": ("remote", "403 Fault"),
    "404": ("not_found", ""),
    "replaced": ("changed", "changed while it was read"),
    "wrong-etag": ("changed", "changed while it was read"),
    "wrong-total": ("remote", "which were not asked for"),
}


@pytest.mark.parametrize("fault", LASTING)
def test_a_server_that_always_fails_is_an_error_that_names_the_object(
    root: pathlib.Path, fault: str
) -> None:
    code, words = LASTING[fault]
    with faulty(root, "none") as address:
        healthy = epoch(f"{address}/recordio")
    with faulty(root, fault, "--rate=0.3", "--always", "--seed=1") as address:
        with pytest.raises(shardine.ShardineError) as raised:
            for _ in range(3):
                assert epoch(f"{address}/recordio") == healthy
    assert words in str(raised.value)
    assert f"{address}/recordio" in str(raised.value)
    assert raised.value.code == code


@pytest.mark.parametrize("only", ["shardine.json", ".sdx"])
def test_a_flipped_bit_of_what_says_where_samples_are_is_damage(
    root: pathlib.Path, only: str
) -> None:
    with faulty(root, "flip", f"--only={only}", "--always") as address:
        with pytest.raises(shardine.CorruptError) as raised:
            epoch(f"{address}/recordio")
    assert f"{address}/recordio/" in str(raised.value)


@pytest.mark.parametrize("name", ["recordio", "lmdb"])
def test_a_payload_that_came_wrong_is_asked_for_once_more(
    root: pathlib.Path, tmp_path: pathlib.Path, name: str
) -> None:
    only = "--only=.rec" if name == "recordio" else "--only=.lmdb"
    with faulty(root, "flip-cached", only) as address:
        assert epoch(f"{address}/{name}") == epoch(root / name)
        done = verify(f"{address}/{name}", 8)
        assert done.returncode == 0, done.stderr
        assert "came wrong" in done.stdout + done.stderr
        for verb in (["extract"], ["convert", "--format=webdataset"]):
            subprocess.run([SHARDINE, *verb, f"{address}/{name}", tmp_path / verb[0]],
                           check=True, capture_output=True)


# A process has one engine: its numbers are of all its readers.
COUNTING = """
import sys, shardine
loader = shardine.Loader(sys.argv[1], batch_size=5, raw=True)
assert sum(1 for batch in loader) > 0
remote = loader.stats().remote
print(remote.requests, remote.tries, sum(remote.failed_tries.values()), remote.hedges)
print(remote.bytes, remote.bytes_used, remote.asked_again)
print(remote.failed_tries)
assert 0 < remote.first_byte_p50 <= remote.first_byte_p95 <= remote.first_byte_p99
assert remote.first_byte_p99 <= remote.whole_p99
assert 0 < remote.connections_made <= remote.tries
assert remote.under_way <= remote.most_under_way <= remote.tries
"""


def counted(address: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", COUNTING, address], check=True,
                          capture_output=True, text=True, timeout=DEADLINE_S)
    return done.stdout.splitlines()


def test_what_was_asked_of_a_server_is_counted(root: pathlib.Path) -> None:
    with faulty(root, "none") as address:
        first, second, reasons = counted(f"{address}/recordio")
        requests, tries, failed, hedges = map(int, first.split())
        assert requests > 0 and tries == requests + hedges and failed == 0
        total, used, again = map(int, second.split())
        assert total >= used > 0 and again == 0 and reasons == "{}"
        bench = subprocess.run(
            [SHARDINE, "bench", f"{address}/recordio", "--seconds=0", "--crop=32",
             "--json"], check=True, capture_output=True, text=True)
        assert json.loads(bench.stdout)["remote"]["requests"] > 0
    with faulty(root, "503", "--rate=0.3", "--seed=3") as address:
        first, _, reasons = counted(f"{address}/recordio")
        requests, tries, failed, hedges = map(int, first.split())
        # The next epoch is under way: some failed and were not tried again yet.
        assert failed > 0 and requests + hedges < tries <= requests + failed + hedges
        assert reasons == f"{{'503': {failed}}}"
    with faulty(root, "flip-cached", "--only=.rec") as address:
        assert int(counted(f"{address}/recordio")[1].split()[2]) > 0


def test_who_waits_for_long_is_told_what_for(root: pathlib.Path) -> None:
    loading = ("import sys, shardine\n"
               "loader = shardine.Loader(sys.argv[1], batch_size=5, raw=True)\n"
               "for _ in range(9): list(loader)\n")
    with faulty(root, "late-stall", "--always") as address:
        environment = {**os.environ, "SHARDINE_REMOTE_PATIENCE": "14"}
        done = subprocess.run([sys.executable, "-c", loading, f"{address}/recordio"],
                              env=environment, capture_output=True, text=True,
                              timeout=DEADLINE_S)
    assert done.returncode != 0 and "RemoteError" in done.stderr
    lines = [line for line in done.stderr.splitlines()
             if "waiting for the server since 1" in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith(f"shardine: {address}/recordio/")


def until_it_fails(path: str) -> tuple[int, str]:
    """How many batches come, and the error after them."""
    loader = shardine.Loader(path, batch_size=5, readers=8,
                             transform=shardine.RandomResizedCrop(32))
    batches = 0
    with pytest.raises(shardine.CorruptError) as raised:
        for _ in loader:
            batches += 1
    assert raised.value.record is not None and raised.value.offset is not None
    return batches, str(raised.value)


def test_a_payload_that_is_wrong_twice_is_damage_and_no_pixel(
    root: pathlib.Path
) -> None:
    with faulty(root, "flip", "--only=.rec", "--always") as address:
        failures = {until_it_fails(f"{address}/recordio") for _ in range(3)}
        ((_, words),) = failures
        assert f"{address}/recordio/" in words
        assert "does not match its CRC" in words
        assert verify(f"{address}/recordio", 8).returncode == 4


def verify(address: str, patience: int) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SHARDINE_REMOTE_PATIENCE": str(patience)}
    return subprocess.run([SHARDINE, "verify", address], env=environment,
                          capture_output=True, text=True, timeout=DEADLINE_S)


@pytest.mark.parametrize("fault", ["stall", "stall-body"])
def test_a_request_that_stalls_is_sent_again(root: pathlib.Path, fault: str) -> None:
    with faulty(root, fault, "--rate=0.1", "--seed=2") as address:
        done = verify(f"{address}/recordio", 8)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("fault", ["stall", "500", "reset"])
def test_patience_ends_and_the_program_exits_with_6(
    root: pathlib.Path, fault: str
) -> None:
    with faulty(root, fault, "--always") as address:
        begun = time.monotonic()
        done = verify(f"{address}/recordio", 2)
    assert done.returncode == 6, done.stderr
    assert address in done.stderr
    assert time.monotonic() - begun < 2 + 5


def test_a_server_that_is_not_there_is_an_error_soon() -> None:
    address = f"http://127.0.0.1:{free_port()}/data"
    begun = time.monotonic()
    done = verify(address, 2)
    assert done.returncode == 6
    assert f"shardine: {address}/shardine.json: " in done.stderr
    assert time.monotonic() - begun < 2 + 5


# Reads, says so, and waits for the error once it is told that the server is gone: while
# it goes on, or while it opens a dataset then.
READS_UNTIL_IT_FAILS = """
import sys, time, shardine
def open():
    return shardine.Loader(sys.argv[1], batch_size=5, readers=8,
                           transform=shardine.RandomResizedCrop(32))
loader = open()
print(len(next(iter(loader)).ids), flush=True)
sys.stdin.readline()
begun = time.monotonic()
try:
    for _ in range(1000):
        list(loader if sys.argv[2] == "goes on" else open())
except shardine.RemoteError as error:
    print(time.monotonic() - begun, error)
"""


@pytest.mark.parametrize("then", ["goes on", "opens"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_server_that_dies_is_an_error_within_patience(
    root: pathlib.Path, how: signal.Signals, then: str
) -> None:
    patience = 3
    environment = {**os.environ, "SHARDINE_REMOTE_PATIENCE": str(patience)}
    with fault_server(root, "none") as (address, server):
        command = [sys.executable, "-c", READS_UNTIL_IT_FAILS, f"{address}/recordio",
                   then]
        with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as reader:
            assert reader.stdin is not None and reader.stdout is not None
            assert reader.stdout.readline() == "5\n"
            server.send_signal(how)
            print(file=reader.stdin, flush=True)
            seconds, _, words = reader.stdout.readline().partition(" ")
        server.kill()
    assert address in words
    assert float(seconds) < patience + 5


def test_ctrl_c_ends_a_loader_that_waits_for_a_server(root: pathlib.Path) -> None:
    with faulty(root, "late-stall", "--always") as address:
        loader = shardine.Loader(f"{address}/recordio", batch_size=5, raw=True)
        timer = threading.Timer(2, signal.raise_signal, [signal.SIGINT])
        timer.start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(9):
                list(loader)
        loader.close()
        assert 2 <= time.monotonic() - begun < 2 + 2
