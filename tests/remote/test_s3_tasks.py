"""Tasks that write to a bucket make the objects that a pack makes there, on any worker,
however often, and wherever they are killed."""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import time
import urllib.parse
from collections.abc import Iterator

import pytest

import s3_proxy
import s3_servers
from s3_objects import here, there, using
from shardine_program import SHARDINE, output, run

PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
SERVICES = {"seaweedfs": s3_servers.seaweedfs, "moto": s3_servers.moto}
OPTIONS = ["--shards=5", "--variants=original,sz/160", "--on-bad=skip"]


@pytest.fixture(scope="module", params=SERVICES)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("service") / "own"
    with SERVICES[request.param](folder) as address, using(address):
        s3_servers.client(address).create_bucket(Bucket="data")
        yield address


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen([SHARDINE, *map(str, arguments)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("name", ["recordio", "lmdb"])
def test_tasks_of_two_hosts_make_the_objects_of_a_pack(
    service: str, name: str, tmp_path: pathlib.Path
) -> None:
    output("pack", PHOTOS, tmp_path / "local", f"--format={name}", *OPTIONS)
    out, plan = f"s3://data/{name}", f"s3://data/plans/{name}"
    output("plan", "pack", PHOTOS, out, f"--format={name}", *OPTIONS, "--task-size=1",
           "--to", plan)
    # Each task twice, at once.
    working = [start("run-task", plan, tasks) for tasks in ("0-4", "4,3,2,1,0")]
    for each in working:
        words = each.communicate()[1]
        assert each.returncode == 0, words
    assert "5 of 5 tasks done" in output("status", plan)
    output("finalize", plan, "--prove=100")
    assert there(service, f"{name}/") == here(tmp_path / "local")
    assert "were done before" in output("run-task", plan, "0-4")
    assert "sound" in output("verify", out)


def test_tasks_convert_and_resize_a_dataset_in_a_bucket(
    service: str, tmp_path: pathlib.Path
) -> None:
    output("pack", PHOTOS, "s3://data/source", "--shards=3")
    output("pack", PHOTOS, tmp_path / "source", "--shards=3")
    works = {"convert": ["--format=webdataset", "--reshuffle=5"],
             "resize": ["--short-side=16,24"]}
    for verb, options in works.items():
        shards = ["--to=shards"] if verb == "resize" else []
        output(verb, tmp_path / "source", tmp_path / verb, *options, *shards)
        plan = f"s3://data/plans/of-{verb}"
        output("plan", verb, "s3://data/source", f"s3://data/by-{verb}", *options,
               "--task-size=1", "--to", plan)
        working = [start("run-task", plan, tasks) for tasks in ("0-2", "2,1,0")]
        for each in working:
            words = each.communicate()[1]
            assert each.returncode == 0, words
        output("finalize", plan, "--prove=100")
        made, here_made = there(service, f"by-{verb}/"), here(tmp_path / verb)
        assert made.keys() == here_made.keys()
        # Manifests say from where.
        for name, contents in here_made.items():
            if not name.endswith("shardine.json"):
                assert made[name] == contents
    output("plan", "convert", "s3://data/source", "s3://data/late", "--format=tfrecord",
           "--task-size=1", "--to", tmp_path / "late")
    # Another object under the name of a shard.
    shard = "train-00001-of-00003.rec"
    s3_servers.client(service).put_object(
        Bucket="data", Key=f"source/{shard}",
        Body=(tmp_path / "source" / shard).read_bytes() + b"x")
    refused = run("run-task", tmp_path / "late", "0-2")
    assert refused.returncode == 7, refused.stderr
    assert f"{shard}: changed or vanished" in refused.stderr


@pytest.mark.parametrize("ending", [".notes", ".done", ".tar"])
def test_another_host_may_write_an_object_before_its_writer_looks_at_it(
    service: str, tmp_path: pathlib.Path, ending: str
) -> None:
    """The other's object may have another length. Notes are made again, and finalize
    names a shard that differs."""
    output("pack", PHOTOS, tmp_path / "source", "--shards=2")
    output("convert", tmp_path / "source", tmp_path / "tars", "--format=webdataset")
    name = f"twice{ending}"
    plan = f"s3://data/plans/{name}"
    output("plan", "convert", tmp_path / "source", f"s3://data/{name}",
           "--format=webdataset", "--task-size=1", "--to", plan)
    others = 0

    def meet(_: int, method: str, target: str) -> s3_proxy.Fate:
        nonlocal others
        written = ("PUT", target) in proxy.asked[:-1]
        if method == "GET" and target.endswith(ending) and written and not others:
            others += 1
            output("run-task", plan, "0")
            client = s3_servers.client(service)
            key = urllib.parse.unquote(target).removeprefix("/data/")
            made = client.get_object(Bucket="data", Key=key)["Body"].read()
            client.put_object(Bucket="data", Key=key, Body=made + b"\n",
                              Metadata={"shardine": "another's"})
        return "forward"

    with s3_proxy.before(service) as proxy:
        proxy.fate = meet
        done = run("run-task", plan, "0", **s3_servers.environment(proxy.address))
    assert others == 1
    assert done.returncode == 0, done.stderr
    if ending == ".tar":
        output("run-task", plan, "1")
        refused = run("finalize", plan)
        assert refused.returncode == 1
        assert "00000-of-00002.tar: is not as its task left it" in refused.stderr
        return
    output("run-task", plan, "0-1")
    output("finalize", plan, "--prove=100")
    made, expected = there(service, f"{name}/"), here(tmp_path / "tars")
    assert made.keys() == expected.keys()
    # A manifest says from where.
    assert [each for each in made if made[each] != expected[each]] in (
        [], ["shardine.json"])


def test_a_killed_host_is_replaced_by_any_other(
    service: str, tmp_path: pathlib.Path
) -> None:
    output("pack", PHOTOS, tmp_path / "local", *OPTIONS)
    draws = random.Random(7)
    for number in range(6):
        out, plan = f"s3://data/killed{number}", tmp_path / f"plan{number}"
        output("plan", "pack", PHOTOS, out, *OPTIONS, "--task-size=1", "--to", plan)
        with start("run-task", plan, "0-4") as host:
            time.sleep(draws.uniform(0.05, 1.0))
            host.send_signal(signal.SIGKILL)
        missing = output("status", plan, "--missing").strip()
        if missing:
            done = run("finalize", plan)
            assert (done.returncode, done.stdout.strip()) == (1, missing)
            output("run-task", plan, missing)
        output("finalize", plan)
        assert there(service, f"killed{number}/") == here(tmp_path / "local")


def test_a_verification_of_a_bucket_leaves_notes_there_and_one_report(
    service: str, tmp_path: pathlib.Path
) -> None:
    out, plan = "s3://data/verified", "s3://data/plans/verified"
    output("pack", PHOTOS, out, *OPTIONS)
    shard = "verified/train-00001-of-00005.rec"
    client = s3_servers.client(service)
    whole = client.get_object(Bucket="data", Key=shard)["Body"].read()
    client.put_object(Bucket="data", Key=shard, Body=whole[:9000] + b"x" + whole[9001:])
    before = there(service, "verified/")
    alone = run("verify", out)
    assert alone.returncode == 4
    output("plan", "verify", out, "--task-size=1", "--to", plan)
    working = [start("run-task", plan, tasks) for tasks in ("0-9", "9,8,7,6,5,4,3,2,1,0")]
    working[0].send_signal(signal.SIGKILL)
    for each in working:
        words = each.communicate()[1]
        assert each.returncode in (0, -signal.SIGKILL), words
    assert "10 of 10 tasks done" in output("status", plan)
    for options in ([], ["--prove=100"]):
        report = run("finalize", plan, *options)
        assert report.returncode == 4
        assert report.stdout.splitlines()[:-1] == alone.stdout.splitlines()[:-1]
    assert sorted(there(service, "plans/verified.notes/")) == sorted(
        f"shard-{number}.verified" for number in range(10))
    assert "were done before" in output("run-task", plan, "0-9")
    assert there(service, "verified/") == before
    client.put_object(Bucket="data", Key=shard, Body=whole + b"x")
    changed = run("run-task", plan, "1")
    assert changed.returncode == 7
    assert f"s3://data/{shard}: changed" in changed.stderr


def host(plan: object, draws: random.Random, out: pathlib.Path) -> subprocess.Popen[bytes]:
    """Three processes at a time in a group of their own, over all tasks in an order of
    the host's own."""
    tasks = " ".join(map(str, draws.sample(range(5), 5)))
    line = f'printf "%s\\n" {tasks} | xargs -P3 -I{{}} "$0" run-task "$1" {{}}'
    with open(out, "wb") as said:
        return subprocess.Popen(["sh", "-c", line, SHARDINE, str(plan)], stdout=said,
                                stderr=said, start_new_session=True)


def test_of_two_hosts_with_three_processes_each_one_is_lost(
    service: str, tmp_path: pathlib.Path
) -> None:
    output("pack", PHOTOS, tmp_path / "local", *OPTIONS)
    killed = 0
    for seed in range(6):
        draws = random.Random(seed)
        out, plan = f"s3://data/lost{seed}", f"s3://data/plans/lost{seed}"
        output("plan", "pack", PHOTOS, out, *OPTIONS, "--task-size=1", "--to", plan)
        lost, other = (host(plan, draws, tmp_path / f"{seed}-{number}")
                       for number in range(2))
        time.sleep(draws.uniform(0.05, 0.6))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(lost.pid, signal.SIGKILL)
        killed += lost.wait() == -signal.SIGKILL
        assert other.wait(120) == 0, (tmp_path / f"{seed}-1").read_text()
        output("finalize", plan, "--prove=100")
        assert there(service, f"lost{seed}/") == here(tmp_path / "local")
    assert killed > 0
