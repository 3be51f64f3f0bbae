#!/usr/bin/env python3
"""load_remote.py TREE [--work DIR] [--copies 20] [--seconds 8] [--rounds 3] [--peers]

Datasets on a server that answers 100 ms late (tests/fault_server): random crops of
original photos to 224 on two threads, the server on the same processors. Bounds hold
for rates beside those of the same dataset here, free and at a trainer's pace; the first
batch; CPU; memory; late answers, all kinds of faults, an outage of 30 s; a link of 100
MB/s for verify; 10,000 objects to pack; with --peers the rates of others there.
Epochs on servers that fail are compared with the local one, by all pixels, before
anything counts. One JSON line each on stdout, a table at the end; exits with 1 where
a bound is broken.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

from corpus import HERE, copy_tree, emit, list_files, package_env, run, venv_python, warm
from measure import table

sys.path += [os.path.join(HERE, "../remote"), os.path.join(HERE, "../support")]
from web_servers import nginx  # noqa: E402 - beside the tests

BIN = os.environ["SHARDINE_BIN"]
LATE = "--delay-ms=100"
PACE = 2000
OUTAGE_S = 30
LINK = 100_000_000
Figures = dict[str, Any]


class Server:
    """The bucket `data` is the work folder; http:// addresses are the same."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout
        self.process = process
        self.address = f"http://127.0.0.1:{int(process.stdout.readline())}"

    def counts(self) -> Figures:
        """Since they were asked for last."""
        with urllib.request.urlopen(f"{self.address}/-/counts") as answer:
            return dict(json.load(answer))


@contextlib.contextmanager
def served(root: str, *options: str, fault: str = "none") -> Iterator[Server]:
    command = [os.path.join(BIN, "../tests/fault_server/fault_server"), root, fault, *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        try:
            yield Server(process)
        finally:
            process.kill()


@contextlib.contextmanager
def encrypted(server: Server, folder: str) -> Iterator[dict[str, str]]:
    """The settings of a client that trusts an nginx in front of the server, by TLS."""
    with nginx(server.address, pathlib.Path(folder), tls="IP:127.0.0.1") as address:
        yield {"AWS_ENDPOINT_URL_S3": address,
                        "CURL_CA_BUNDLE": os.path.join(folder, "cert.pem")}


def environment(own: str, server: Server | None) -> dict[str, str]:
    signed = {"AWS_ENDPOINT_URL_S3": server.address, "AWS_ACCESS_KEY_ID": "A",
              "AWS_SECRET_ACCESS_KEY": "S", "AWS_REGION": "us-east-1"} if server else {}
    return package_env() | signed | {"XDG_CACHE_HOME": own, "NO_PROXY": "127.0.0.1"}


def loader(dataset: str, seconds: float, *options: str, server: Server | None = None,
           meanwhile: Any = None, more: dict[str, str] | None = None) -> Figures:
    """remote_loader.py, with nothing in its cache folder."""
    with tempfile.TemporaryDirectory() as own:
        command = [venv_python("python"), os.path.join(HERE, "remote_loader.py"), dataset,
                   str(seconds), *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              env=environment(own, server) | (more or {})) as process:
            if meanwhile:
                meanwhile()
            assert process.stdout
            out = process.stdout.read()
    if process.returncode != 0:
        sys.exit(f"{dataset}: the loader failed")
    return dict(json.loads(out))


class Bounds:
    def __init__(self) -> None:
        self.rows: list[tuple[object, ...]] = [("what", "figure", "asked", "")]
        self.held = True

    def check(self, what: str, figure: float, asked: float, at_least: bool = True) -> None:
        held = figure >= asked if at_least else figure <= asked
        self.held = self.held and held
        self.rows.append((what, round(figure, 3), f"{'>=' if at_least else '<='} {asked}",
                          "" if held else "broken"))
        emit(what=what, figure=figure, asked=asked, held=held)


def median(cells: list[Figures], name: str) -> float:
    return float(statistics.median(cell[name] for cell in cells))


def rates(work: str, args: argparse.Namespace, bounds: Bounds) -> float:
    """Measures rates beside the local dataset, in the same rounds. Returns the rate
    that faults are measured against."""
    runs: dict[str, list[Figures]] = {}
    with (served(work, LATE) as server, tempfile.TemporaryDirectory() as folder,
          encrypted(server, folder) as by_tls):
        there = {"free": f"{server.address}/data/records", "signed": "s3://data/records"}
        for _ in range(args.rounds):
            here = os.path.join(work, "data/records")
            for name, figures in {
                "local": loader(here, args.seconds),
                "local, paced": loader(here, args.seconds, f"--pace={PACE}"),
                "free": loader(there["free"], args.seconds),
                "paced": loader(there["signed"], args.seconds, f"--pace={PACE}", server=server),
                "signed": loader(there["signed"], args.seconds, server=server),
                "TLS": loader(there["signed"], args.seconds, server=server, more=by_tls),
                "cached": loader(there["free"], args.seconds, f"--cache={work}/cache"),
            }.items():
                runs.setdefault(name, []).append(figures)
                emit(run=name, **figures)
    local = runs["local"]
    bounds.check("free rate, of local", median(runs["free"], "per_s") / median(local, "per_s"), 0.55)
    bounds.check(f"rate at {PACE} img/s, of local",
                 median(runs["paced"], "per_s") / median(runs["local, paced"], "per_s"), 0.99)
    bounds.check("CPU an image, signed, us more than local",
                 median(runs["signed"], "cpu_us") - median(local, "cpu_us"), 130, at_least=False)
    bounds.check("CPU an image, signed, by TLS, us more than local",
                 median(runs["TLS"], "cpu_us") - median(local, "cpu_us"), 190, at_least=False)
    bounds.check("memory, MiB more than local",
                 median(runs["free"], "peak_mib") - median(local, "peak_mib"), 300, at_least=False)
    bounds.check("warm cache, images per CPU-second, of local",
                 median(local, "cpu_us") / median(runs["cached"], "cpu_us"), 0.95)
    return median(runs["free"], "per_s")


def first_batch(work: str, args: argparse.Namespace, bounds: Bounds) -> None:
    cells = []
    with served(work, LATE) as server:
        for _ in range(args.rounds):
            cells.append(loader(f"{server.address}/data/records", 0))
    bounds.check("first batch, s", median(cells, "first_batch"), 0.8, at_least=False)
    # Where each answer takes a second there is next to nothing but waiting.
    with served(work, "--delay-ms=1000") as server:
        waits = int(loader(f"{server.address}/data/records", 0)["first_batch"])
    bounds.check("waits one after the other to it", waits, 6, at_least=False)


def faults(work: str, args: argparse.Namespace, bounds: Bounds, rate: float) -> None:
    local = loader(os.path.join(work, "data/records"), 0, "--check")["digest"]
    for what, asked, options, fault in [
        ("1 % of the answers 2 s late, of the rate", 0.75, ["--tail=0.01", "--tail-ms=2000"], "none"),
        ("0.1 % 10 s late, of the rate", 0.85, ["--tail=0.001", "--tail-ms=10000"], "none"),
        ("20 % faults of all kinds, of the rate", 0.5, ["--rate=0.2"], "mix"),
    ]:
        cells = []
        for number in range(args.rounds):
            with served(work, LATE, f"--seed={number + 1}", *options, fault=fault) as server:
                figures = loader(f"{server.address}/data/records", 2 * args.seconds, "--check")
            if figures["digest"] != local:
                sys.exit(f"{what}: not the local epoch")
            cells.append(figures)
            emit(run=what, **figures)
        bounds.check(what, median(cells, "per_s") / rate, asked)
        bounds.check("  second requests, of all", statistics.median(
            cell["hedges"] / cell["requests"] for cell in cells), 0.03, at_least=False)


def outage(work: str, args: argparse.Namespace, bounds: Bounds) -> None:
    """The server is silent for half a minute in the middle."""
    with served(work, LATE) as server:
        def stop_for_a_while() -> None:
            time.sleep(5)
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(OUTAGE_S)
            server.process.send_signal(signal.SIGCONT)
        figures = loader(f"{server.address}/data/records", OUTAGE_S + 3 * args.seconds,
                         meanwhile=stop_for_a_while)
    emit(run="outage", **figures)
    bounds.check(f"longest wait for a batch, outage of {OUTAGE_S} s", figures["longest_wait"],
                 OUTAGE_S + 10, at_least=False)


def blocks(work: str, args: argparse.Namespace, bounds: Bounds) -> None:
    options = ["--order=blocks", "--size=128"]
    cells: dict[str, list[Figures]] = {"here": []}
    with served(work, LATE) as server:
        for _ in range(args.rounds):
            cells["here"].append(loader(f"{work}/data/records/sz/160", args.seconds, *options))
            for name, more in {"there": [], "one rank of 2": ["--world=2"],
                               "one rank of 8": ["--world=8"]}.items():
                cells.setdefault(name, []).append(
                    loader(f"{server.address}/data/records/sz/160", args.seconds, *options, *more))
    for name, runs in cells.items():
        emit(run=f"sz/160 in blocks, {name}", per_s=median(runs, "per_s"),
             cpu_us=median(runs, "cpu_us"), requests=median(runs, "requests"))
    bounds.check("sz/160 in blocks, CPU an image, of local",
                 median(cells["there"], "cpu_us") / median(cells["here"], "cpu_us"), 1.25,
                 at_least=False)


def verify(work: str, bounds: Bounds) -> None:
    with served(work, LATE, f"--link={LINK}") as server, tempfile.TemporaryDirectory() as own:
        address = f"{server.address}/data/records"
        wall, _, _, _ = run([os.path.join(BIN, "shardine"), "verify", address],
                            env=environment(own, None), stderr=subprocess.DEVNULL)
        sent = server.counts()["bytes"]
    emit(run="verify", seconds=wall, bytes=sent)
    bounds.check("verify, of a link of 100 MB/s", sent / wall / LINK, 0.8)


def pack(work: str, tree: str, bounds: Bounds) -> None:
    out = os.path.join(work, "packed")
    shutil.rmtree(out, ignore_errors=True)
    files = len(list_files(os.path.join(work, "data", tree)))
    with served(work, LATE) as server, tempfile.TemporaryDirectory() as own:
        wall, cpu, _, _ = run([os.path.join(BIN, "shardine"), "pack", f"s3://data/{tree}", out],
                              env=environment(own, server), stderr=subprocess.DEVNULL)
    emit(run="pack", files=files, seconds=wall, cpu_seconds=cpu)
    bounds.check("pack of objects, files a second", files / wall, 1000)


def peer(name: str, command: list[str], env: dict[str, str]) -> Figures:
    """MDS 0.13 cannot read its own shards in about every second run over a server."""
    for left in (2, 1, 0):
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=env)
        if done.returncode == 0:
            figures = dict(json.loads(done.stdout.splitlines()[-1]))
            emit(run=name, **figures)
            return figures
        emit(run=name, failed=done.returncode, tries_left=left)
    sys.exit(f"{name}: failed three times")


def peers(work: str, args: argparse.Namespace, bounds: Bounds, rate: float, tree: str) -> None:
    found: dict[str, float] = {}
    with served(work, LATE) as server:
        for name, kind, folder, workers in [
            ("boto3 and torchvision, 1", "boto3", tree, 0),
            ("boto3 and torchvision, 4 workers", "boto3", tree, 4),
            ("webdataset, 2 workers", "webdataset", "tar", 2),
            ("MDS, 2 workers", "mds", "mds", 2),
            ("LitData, 2 workers", "litdata", "litdata", 2),
            ("DALI, 2 threads", "dali", "tfrecord", 0),
        ]:
            command = [venv_python("dali" if kind == "dali" else "torch"), os.path.join(HERE, "web_peer.py"), kind,
                       server.address, folder, str(2 * args.seconds), str(workers)]
            env = {**os.environ, "NO_PROXY": "127.0.0.1", "BUCKET": os.path.join(work, "data")}
            figures = peer(name, command, env)
            found[name] = figures["per_s"]
    bounds.check("rate, of boto3 with 4 workers", rate / found["boto3 and torchvision, 4 workers"],
                 50)
    bounds.check("rate, of the best other", rate / max(
        value for name, value in found.items() if not name.startswith("boto3")), 5)


def prepare(work: str, args: argparse.Namespace) -> str:
    """The name of the tree in the bucket, and the datasets made of it."""
    data = os.path.join(work, "data")
    os.makedirs(data, exist_ok=True)
    tree = copy_tree(args.tree, data, args.copies)
    made = [("records", ["--format=recordio", "--variants=original,sz/160"])]
    made += [("tar", ["--format=webdataset", "--shards=16"]),
             ("tfrecord", ["--format=tfrecord", "--shards=16"])] if args.peers else []
    for name, options in made:
        if not os.path.exists(os.path.join(data, name, "shardine.json")):
            run([os.path.join(BIN, "shardine"), "pack", tree, os.path.join(data, name), *options],
                stderr=subprocess.DEVNULL)
    for peer in ("mds", "litdata") if args.peers else ():
        if not os.path.exists(os.path.join(data, peer, "index.json")):
            subprocess.run([venv_python("torch"), os.path.join(HERE, "records_peer.py"), "pack",
                            peer, tree, os.path.join(data, peer)], check=True, env=package_env(),
                           stdout=sys.stderr)
    warm(list_files(data))
    return os.path.basename(tree)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    args = parser.parse_args()
    bounds = Bounds()
    with tempfile.TemporaryDirectory() as scratch:
        work = args.work or scratch
        tree = prepare(work, args)
        rate = rates(work, args, bounds)
        first_batch(work, args, bounds)
        faults(work, args, bounds, rate)
        outage(work, args, bounds)
        blocks(work, args, bounds)
        verify(work, bounds)
        pack(work, tree, bounds)
        if args.peers:
            peers(work, args, bounds, rate, tree)
    print(table(bounds.rows))
    sys.exit(0 if bounds.held else 1)


if __name__ == "__main__":
    main()
