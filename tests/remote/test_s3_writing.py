"""Files written to a bucket have the bytes of files written to a folder, whatever
happens on the way."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import botocore.client
import pytest

import s3_proxy
import s3_servers
import shardine
from s3_objects import here, there, using
from shardine_program import SHARDINE, output, run

pytest_plugins = ["own_cache", "places"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
FORMATS = ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"]
SERVICES = {"seaweedfs": s3_servers.seaweedfs, "rclone": s3_servers.rclone,
            "moto": s3_servers.moto, "juicefs": s3_servers.juicefs}
# Services without conditional writes.
WEAK = ("rclone", "juicefs")
SIZED = ["--shard-size=256K", "--variants=original,sz/160"]


@pytest.fixture(scope="module", params=SERVICES)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("service") / "own"
    with SERVICES[request.param](folder) as address, using(address):
        s3_servers.client(address).create_bucket(Bucket="data")
        yield address


def uploads(client: botocore.client.BaseClient) -> list[str]:
    return [each["Key"] for each in
            client.list_multipart_uploads(Bucket="data").get("Uploads", [])]


@pytest.mark.parametrize("name", FORMATS)
def test_a_pack_has_the_objects_that_a_local_one_has_files(
    service: str, name: str, tmp_path: pathlib.Path, request: pytest.FixtureRequest
) -> None:
    told = [output("pack", PHOTOS, out, f"--format={name}", *SIZED)
            for out in (tmp_path / name, f"s3://data/packs/{name}")]
    # Some services have no conditions, and a warning says so.
    words = "  warning: the service at s3://data/packs"
    lines = [line for line in told[1].splitlines() if not line.startswith(words)]
    assert told[0].replace(str(tmp_path), "s3://data/packs").splitlines() == lines
    weak = "knows no If-None-Match" in told[1]
    assert weak == any(name in request.node.name for name in WEAK)
    assert there(service, f"packs/{name}/") == here(tmp_path / name)
    assert "nothing to do" in output("pack", PHOTOS, f"s3://data/packs/{name}",
                                     f"--format={name}", *SIZED)
    assert "sound" in output("verify", "--level=deep", f"s3://data/packs/{name}",
                             "--against", PHOTOS)


@pytest.mark.usefixtures("service")
def test_each_verb_that_writes_gives_the_same_as_locally(
    service: str, tmp_path: pathlib.Path
) -> None:
    places = (str(tmp_path / "here"), "s3://data/verbs")
    for place in places:
        a, b = f"{place}/a", f"{place}/b"
        output("pack", PHOTOS, a, "--shard-size=256K")
        output("convert", a, b, "--format=webdataset", "--shard-size=256K")
        output("merge", "--prefix", "{n}/", a, a, f"{place}/merged")
        output("resize", a, "--to=shards", "--short-side=64", f"{place}/small")
        output("extract", b, f"{place}/tree")
        output("list", PHOTOS, "--lst", f"{place}/photos.lst")
        output("convert", a, f"{place}/plain", "--format=tfrecord", "--shard-size=256K")
        assert "sound" in output("verify", f"{place}/merged")
    names = ("a", "b", "merged", "small", "tree", "plain")
    for name in names:
        local = here(tmp_path / "here" / name)
        remote = there(service, f"verbs/{name}/")
        assert local.keys() == remote.keys(), name
        for path in local:
            if not path.endswith("shardine.json"):
                assert local[path] == remote[path], f"{name}/{path}"
    assert there(service, "verbs/photos.lst")[""] == (
        tmp_path / "here" / "photos.lst").read_bytes()


@pytest.mark.usefixtures("service")
def test_sidecars_are_made_for_shards_of_others(
    service: str, tmp_path: pathlib.Path
) -> None:
    output("pack", PHOTOS, tmp_path / "own", "--format=webdataset", "--shard-size=256K")
    (tmp_path / "tars").mkdir()
    for tar in (tmp_path / "own").glob("*.tar"):
        shutil.copy(tar, tmp_path / "tars")
    s3_servers.upload(service, tmp_path / "tars", "tars/")
    tars = sorted(path.name for path in (tmp_path / "tars").iterdir())
    output("index", *[f"s3://data/tars/{tar}" for tar in tars], "s3://data/tars")
    output("index", *[tmp_path / "tars" / tar for tar in tars], tmp_path / "tars")
    sets = [there(service, "tars/"), here(tmp_path / "tars")]
    # A manifest has the names of the files, so manifests differ.
    assert [each.pop("shardine.json") != b"" for each in sets] == [True, True]
    assert sets[0] == sets[1]
    output("reindex", "s3://data/tars")
    assert "sound" in output("verify", "s3://data/tars")


def test_a_writer_gives_the_same_dataset_as_locally(
    service: str, tmp_path: pathlib.Path
) -> None:
    photos = sorted(PHOTOS.rglob("*.JPEG"))
    for where in (str(tmp_path / "w"), "s3://data/w"):
        with shardine.Writer(where, format="recordio", shard_size="256K") as writer:
            for number, photo in enumerate(photos):
                writer.write({"image": photo.read_bytes(), "label": number % 3}, key=photo.name)
    local, remote = here(tmp_path / "w"), there(service, "w/")
    assert local == remote
    with pytest.raises(RuntimeError, match="mine"), shardine.Writer("s3://data/cut") as cut:
        cut.write({"image": photos[0].read_bytes(), "label": 1})
        raise RuntimeError("mine")
    assert there(service, "cut/") == {}


def many_photos(tree: pathlib.Path) -> pathlib.Path:
    """42 MB of them."""
    for copy in range(64):
        for photo in PHOTOS.rglob("*.JPEG"):
            to = tree / photo.parent.name / f"{copy}-{photo.name}"
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(photo, to)
    return tree


def test_a_shard_of_many_parts_is_whole_or_not_there(
    service: str, tmp_path: pathlib.Path
) -> None:
    tree = many_photos(tmp_path / "tree")
    for where in (tmp_path / "many", "s3://data/many"):
        output("pack", tree, where, "--shard-size=64M")
    assert there(service, "many/") == here(tmp_path / "many")
    assert max(map(len, here(tmp_path / "many").values())) > 32 << 20
    assert uploads(s3_servers.client(service)) == []


def test_one_run_at_a_time_and_one_plan_in_a_folder(
    service: str, request: pytest.FixtureRequest
) -> None:
    weak = any(name in request.node.name for name in WEAK)
    commands = [[SHARDINE, "pack", str(PHOTOS), "s3://data/race", f"--format={name}"]
                for name in ["recordio", "webdataset"] * 4]
    # Services without conditions do not keep apart those that begin at once.
    at_once = 1 if weak else len(commands)
    ends = []
    for first in range(0, len(commands), at_once):
        running = [subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True)
                   for command in commands[first:first + at_once]]
        ends += [(each.communicate()[1], each.returncode) for each in running]
    assert any(code == 0 for _, code in ends)
    for words, code in ends:
        assert code in (0, 1, 7), words
        assert code != 1 or "another run of shardine is at work" in words
    held = there(service, "race/")
    suffixes = {pathlib.Path(name).suffix for name in held}
    assert (".rec" in suffixes) != (".tar" in suffixes)
    assert not any(name.startswith(".pack") for name in held)
    assert "sound" in output("verify", "s3://data/race")
    taken = run("convert", "s3://data/race", "s3://data/race", "--format=lmdb")
    assert taken.returncode == 7, taken.stderr


def dies(proxy: s3_proxy.Proxy, command: list[object], number: int, when: s3_proxy.Fate) -> int:
    """How the run ended that was to be killed at its request of that number."""
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        def strike() -> None:
            process.send_signal(signal.SIGKILL)
            process.wait()

        proxy.asked.clear()
        proxy.strike = strike
        proxy.fate = lambda at, *_: when if at == number else "forward"
        code = process.wait()
        proxy.fate = lambda *_: "forward"
        return code


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", ["recordio", "lmdb"])
def test_a_pack_that_is_killed_at_any_request_goes_on(
    weed: str, proxy: s3_proxy.Proxy, tmp_path: pathlib.Path, name: str,
    when: s3_proxy.Fate,
) -> None:
    options = [f"--format={name}", "--shard-size=512K", "--jobs=1"]
    output("pack", PHOTOS, tmp_path / "set", *options)
    wanted = here(tmp_path / "set")
    ended = -signal.SIGKILL
    number = -1
    while ended == -signal.SIGKILL:
        # All of them: tools/nightly.sh s3.
        number += 1 if os.environ.get("SHARDINE_SWEEP") == "whole" else 13
        out = f"s3://data/kills-{name}-{when}-{number}"
        command = ["pack", PHOTOS, out, *options]
        ended = dies(proxy, [SHARDINE, *command], number, when)
        held = there(weed, f"kills-{name}-{when}-{number}/")
        # Only a dataset looks like one.
        for path, content in held.items():
            assert path.startswith(".pack/") or content == wanted[path]
        if "shardine.json" in held:
            assert wanted.keys() <= held.keys()
        output(*command)
        assert there(weed, f"kills-{name}-{when}-{number}/") == wanted
    assert ended == 0
    assert number > 20


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_dataset_gives_way_at_any_request_or_stays(
    weed: str, proxy: s3_proxy.Proxy, tmp_path: pathlib.Path, when: s3_proxy.Fate
) -> None:
    options = ["--format=tfrecord", "--shard-size=512K", "--jobs=1"]
    output("pack", PHOTOS, tmp_path / "old", *SIZED)
    output("pack", PHOTOS, tmp_path / "new", *options)
    (tmp_path / "old" / "notes").write_text("mine")
    old, wanted = here(tmp_path / "old"), here(tmp_path / "new")
    ended, number = -signal.SIGKILL, -1
    while ended == -signal.SIGKILL:
        number += 1 if os.environ.get("SHARDINE_SWEEP") == "whole" else 61
        name = f"way-{when}-{number}"
        s3_servers.upload(weed, tmp_path / "old", f"{name}/")
        command = ["pack", PHOTOS, f"s3://data/{name}", *options, "--replace"]
        ended = dies(proxy, [SHARDINE, *command], number, when)
        held = there(weed, f"{name}/")
        if held.get("shardine.json") == old["shardine.json"]:
            assert old.items() <= held.items()
        elif "shardine.json" in held:
            assert wanted.items() <= held.items()
        output(*command)
        assert there(weed, f"{name}/") == wanted | {"notes": b"mine"}
    assert ended == 0
    assert number > 20


def test_an_object_that_has_its_name_is_there_though_the_old_one_stays(
    weed: str, proxy: s3_proxy.Proxy, tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Row 23 of the review of concurrency: an object is renamed by a copy and a removal,
    and the service refuses the removal for a while."""
    refused: list[str] = []

    def fate(number: int, method: str, target: str) -> s3_proxy.Fate:
        if method != "DELETE" or not re.search(r"/\.pack/next/[^/]*\.tfrecord$", target):
            return "forward"
        again = proxy.asked[number - 1] == (method, target)
        if refused and not (again and refused[-1] == target):
            return "forward"
        refused.append(target)
        return "refuse"

    options = ["--format=tfrecord", "--jobs=1"]
    output("pack", PHOTOS, tmp_path / "new", *options)
    output("pack", PHOTOS, "s3://data/renamed", *SIZED)
    monkeypatch.setenv("SHARDINE_REMOTE_PATIENCE", "1")
    with using(proxy.address):
        proxy.fate = fate
        output("pack", PHOTOS, "s3://data/renamed", *options, "--replace")
        proxy.fate = lambda *_: "forward"
    assert len(refused) > 1
    assert there(weed, "renamed/") == here(tmp_path / "new")


WRITING = """
import pathlib, sys
import shardine
with shardine.Writer(sys.argv[1], shard_size="512K", threads=1) as writer:
    for number, photo in enumerate(sorted(pathlib.Path(sys.argv[2]).rglob("*.JPEG"))):
        writer.write({"image": photo.read_bytes(), "label": number % 3}, key=photo.name)
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_writer_that_is_killed_at_any_request_begins_anew(
    weed: str, proxy: s3_proxy.Proxy, tmp_path: pathlib.Path, when: s3_proxy.Fate,
) -> None:
    def command(out: object) -> list[object]:
        return [sys.executable, "-c", WRITING, out, PHOTOS]

    subprocess.run(list(map(str, command(tmp_path / "set"))), check=True)
    wanted = here(tmp_path / "set")
    ended, number = -signal.SIGKILL, -1
    while ended == -signal.SIGKILL:
        number += 1 if os.environ.get("SHARDINE_SWEEP") == "whole" else 17
        name = f"written-{when}-{number}"
        ended = dies(proxy, command(f"s3://data/{name}"), number, when)
        held = there(weed, f"{name}/")
        for path, content in held.items():
            assert path.startswith(".pack/") or content == wanted[path]
        if "shardine.json" in held:
            # It ends with this, and there is nothing left to do.
            assert wanted.items() <= held.items()
            continue
        subprocess.run(list(map(str, command(f"s3://data/{name}"))), check=True)
        assert there(weed, f"{name}/") == wanted
    assert ended == 0
    assert number > 10


@pytest.mark.parametrize("fate", ["refuse", "lose"])
def test_each_answer_may_be_lost_once(
    weed: str, proxy: s3_proxy.Proxy, tmp_path: pathlib.Path, fate: s3_proxy.Fate
) -> None:
    output("pack", PHOTOS, tmp_path / "set", "--shard-size=256K")
    seen: set[tuple[str, str]] = set()

    def once(_: int, method: str, target: str) -> s3_proxy.Fate:
        if (method, target) in seen:
            return "forward"
        seen.add((method, target))
        return fate

    proxy.fate = once
    output("pack", PHOTOS, f"s3://data/lost-{fate}", "--shard-size=256K")
    assert there(weed, f"lost-{fate}/") == here(tmp_path / "set")


def test_a_failure_of_the_service_leaves_nothing_that_looks_like_a_dataset(
    weed: str, proxy: s3_proxy.Proxy
) -> None:
    proxy.fate = lambda _, method, target: (
        "refuse" if method == "PUT" and target.endswith(".rec") else "forward")
    begun = time.monotonic()
    done = run("pack", PHOTOS, "s3://data/failed", SHARDINE_REMOTE_PATIENCE="2")
    assert done.returncode == 6, done.stderr
    assert time.monotonic() - begun < 20
    assert "s3://data/failed/train-00000-of-00001" in done.stderr
    assert "503" in done.stderr
    assert "shardine.json" not in there(weed, "failed/")
    assert run("info", "s3://data/failed").returncode == 1
    proxy.fate = lambda *_: "forward"
    output("pack", PHOTOS, "s3://data/failed")
    assert "sound" in output("verify", "s3://data/failed")


def test_a_run_on_another_machine_is_heard_of(
    weed: str, proxy: s3_proxy.Proxy
) -> None:
    client = s3_servers.client(weed)
    for text in (b"shardine is at work here\n1-2\nother\nelsewhere/1\n77 88\n", b"foreign"):
        client.put_object(Bucket="data", Key="held/.pack/lock", Body=text)
        done = run("pack", PHOTOS, "s3://data/held")
        assert done.returncode == 1, done.stderr
        assert "another run of shardine is at work" in done.stderr
        assert "remove s3://data/held/.pack/lock" in done.stderr
        assert there(weed, "held/") == {".pack/lock": text}
    # The ways out that it advises. Time is the service's.
    proxy.later = 200
    assert run("pack", PHOTOS, "s3://data/held").returncode == 1
    proxy.later = 400
    output("pack", PHOTOS, "s3://data/held", "--format=lmdb")
    output("verify", "s3://data/held")
    for key in there(weed, "held/"):
        client.delete_object(Bucket="data", Key=f"held/{key}")
    client.put_object(Bucket="data", Key="held/.pack/lock", Body=b"foreign")
    proxy.later = 0
    assert run("pack", PHOTOS, "s3://data/held").returncode == 1
    client.delete_object(Bucket="data", Key="held/.pack/lock")
    output("pack", PHOTOS, "s3://data/held")
    assert ".pack/lock" not in there(weed, "held/")


@pytest.mark.skipif(os.environ.get("SHARDINE_SWEEP") != "whole",
                    reason="takes more than a minute: tools/nightly.sh s3 runs it")
@pytest.mark.parametrize("taken", [False, True])
def test_who_works_for_long_renews_its_sign_and_hears_who_took_it(
    weed: str, proxy: s3_proxy.Proxy, *, taken: bool
) -> None:
    """Shards are refused until the sign was renewed once, after a minute."""
    folder = f"sign-{taken}"
    client = s3_servers.client(weed)
    refuses = threading.Event()
    refuses.set()

    def fate(_: int, method: str, target: str) -> s3_proxy.Fate:
        is_shard = method == "PUT" and "train-" in target and ".pack" not in target
        return "refuse" if is_shard and refuses.is_set() else "forward"

    proxy.fate = fate
    with subprocess.Popen([SHARDINE, "pack", PHOTOS, f"s3://data/{folder}"], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        sign = {"Bucket": "data", "Key": f"{folder}/.pack/lock"}
        while not any(method == "PUT" and "train-" in target
                      for method, target in list(proxy.asked)):
            time.sleep(0.1)
        first = client.head_object(**sign)["LastModified"]
        other = b"shardine is at work here\nother\nhost\nspace\n1 2\n"
        if taken:
            client.put_object(**sign, Body=other)
        time.sleep(63)
        if not taken:
            assert (client.head_object(**sign)["LastModified"] - first).seconds > 50
        refuses.clear()
        words = process.communicate(timeout=120)[1]
    proxy.fate = lambda *_: "forward"
    held = there(weed, f"{folder}/")
    if taken:
        assert process.returncode == 1, words
        assert "another run of shardine took this folder over" in words
        assert "shardine.json" not in held
        assert held[".pack/lock"] == other
    else:
        assert process.returncode == 0, words
        assert "shardine.json" in held
        assert ".pack/lock" not in held


def test_gs_is_google_s_storage_by_its_keys(weed: str, tmp_path: pathlib.Path) -> None:
    """Its S3 interface, as far as other services have it."""
    own = {"CPL_GS_ENDPOINT": weed, "GS_ACCESS_KEY_ID": s3_servers.KEY,
           "GS_SECRET_ACCESS_KEY": s3_servers.SECRET}
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("AWS_", "GS_"))]:
            patch.delenv(name)
        output("pack", PHOTOS, "gs://data/google", **own)
        assert "sound" in output("verify", "gs://data/google", **own)
        output("pack", PHOTOS, tmp_path / "set")
        assert there(weed, "google/") == here(tmp_path / "set")
        done = run("info", "gs://data/google", CPL_GS_ENDPOINT=weed)
        assert done.returncode == 2, done.stderr
        assert "GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY" in done.stderr
        assert "403" in run("info", "gs://data/google", CPL_GS_ENDPOINT=weed,
                            GS_NO_SIGN_REQUEST="YES").stderr


def is_clean_after_ctrl_c(
    weed: str, proxy: s3_proxy.Proxy, tree: pathlib.Path, name: str
) -> bool:
    """Ctrl-C while a part of an upload is on its way."""
    with subprocess.Popen([SHARDINE, "pack", tree, f"s3://data/{name}"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        def strike(_: int, method: str, target: str) -> s3_proxy.Fate:
            if method != "PUT" or "partNumber=2&" not in target:
                return "forward"
            process.send_signal(signal.SIGINT)
            return "refuse"

        proxy.fate = strike
        begun = time.monotonic()
        assert process.wait() == 130
        assert time.monotonic() - begun < 20
    proxy.fate = lambda *_: "forward"
    return (".pack/lock" not in there(weed, f"{name}/")
            and not any(name in key for key in uploads(s3_servers.client(weed))))


def test_a_stopped_run_cleans_up_behind_itself(
    weed: str, proxy: s3_proxy.Proxy, tmp_path: pathlib.Path
) -> None:
    tree = many_photos(tmp_path / "tree")
    # After 1.5 s the program ends at once, which a machine that is busy may need.
    names = ["stopped-1", "stopped-2", "stopped-3"]
    assert any(is_clean_after_ctrl_c(weed, proxy, tree, name) for name in names)
    output("pack", tree, "s3://data/stopped-1")
    assert "sound" in output("verify", "s3://data/stopped-1")


def test_what_has_to_be_appended_to_is_refused(weed: str, proxy: s3_proxy.Proxy) -> None:
    done = run("resize", PHOTOS, "s3://data/files", "--short-side=32")
    assert done.returncode == 1, done.stderr
    assert "resize to shards" in done.stderr
    assert there(weed, "files/") == {}


def test_nothing_is_sent_without_room_to_write_it_first(
    proxy: s3_proxy.Proxy, tmp_path: pathlib.Path
) -> None:
    done = run("pack", PHOTOS, "s3://data/room", TMPDIR=str(tmp_path / "none"))
    assert done.returncode == 5, done.stderr
    assert str(tmp_path / "none") in done.stderr
