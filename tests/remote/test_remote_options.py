"""How servers are asked: by options of the program and of the package, before the
settings of the environment, and by the beginning of an address."""

import json
import multiprocessing
import os
import pathlib
import pickle
import re
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

import s3_servers
import shardine
from s3_servers import KEY, SECRET, Service
from shardine_program import SHARDINE, output, run
from test_s3_credentials import profiles
from web_servers import asked_since, nginx

pytest_plugins = ["own_cache"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
OTHER = "AKIDOTHER"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    output("pack", PHOTOS, root / "set", "--shard-size=256K")
    return root


@pytest.fixture
def service(root: pathlib.Path) -> Iterator[Service]:
    with s3_servers.service_of_ours(root) as service:
        service.secrets[OTHER] = SECRET
        yield service


@pytest.fixture(autouse=True)
def no_options() -> Iterator[None]:
    """None outlive a test."""
    yield
    for prefix in ("", "s3://data", "s3://data/set", "s3://data/other"):
        shardine.set_remote_options(prefix)


def environment(service: str, home: pathlib.Path, **others: str) -> dict[str, str]:
    return s3_servers.environment(service, HOME=str(home), **others)


def test_options_of_the_program_come_before_the_environment(
    service: Service, tmp_path: pathlib.Path
) -> None:
    profiles(tmp_path, credentials=f"[work]\naws_access_key_id={OTHER}\n"
                                   f"aws_secret_access_key={SECRET}\n",
             config="[profile work]\nregion = eu-north-1\n")
    own = environment("http://127.0.0.1:9", tmp_path, AWS_REGION="us-west-2")
    at = f"--endpoint-url={service.address}"
    output("info", "s3://data/set", at, **own)
    assert {(each.key_id, each.region) for each in service.asked} == {(KEY, "us-west-2")}
    service.asked.clear()
    output("info", "s3://data/set", at, "--profile=work", "--region=sa-east-1", **own)
    assert {(each.key_id, each.region) for each in service.asked} == {(OTHER, "sa-east-1")}
    service.asked.clear()
    output("verify", "s3://data/set", at, "--requester-pays", **own)
    assert {each.headers["x-amz-request-payer"] for each in service.asked} == {"requester"}
    service.asked.clear()
    output("ls", "s3://data/set", at, "--no-sign-request", **own)
    assert not any("authorization" in each.headers for each in service.asked)
    done = run("info", "s3://data/set", at, "--profile=nobody", **own)
    assert done.returncode == 2
    assert "the profile nobody is in no file" in done.stderr


def test_buckets_are_in_the_path_or_in_the_hosts_name(
    service: Service, tmp_path: pathlib.Path
) -> None:
    at = service.address.replace("127.0.0.1", "localhost")
    for style, host, path in (("on", "localhost", "/data/set/"), ("auto", "localhost", "/data/set/"),
                              ("off", "data.localhost", "/set/")):
        service.asked.clear()
        output("info", "s3://data/set", f"--endpoint-url={at}", f"--path-style={style}",
               **environment("", tmp_path, NO_PROXY="localhost"))
        assert {each.headers["host"].split(":")[0] for each in service.asked} == {host}
        assert all(each.path.startswith(path) for each in service.asked)


@pytest.mark.parametrize(("option", "words"), [
    ("--region=eu north", "no name of one"),
    ("--endpoint-url=ftp://host", "http:// or https://"),
    ("--path-style=maybe", "auto|on|off"),
    ("--remote-requests=0", "remote-requests"),
    ("--remote-patience=-1", "remote-patience"),
])
def test_options_that_make_no_sense_are_refused(option: str, words: str) -> None:
    done = run("info", "s3://data/set", option)
    assert done.returncode == 2
    assert words in done.stderr


def test_patience_and_requests_are_options(
    service: Service, tmp_path: pathlib.Path
) -> None:
    begun = time.monotonic()
    done = run("info", "http://127.0.0.1:9/set", "--remote-patience=2", NO_PROXY="127.0.0.1")
    assert (done.returncode, time.monotonic() - begun < 7) == (6, True)
    own = environment(service.address, tmp_path)
    found = json.loads(output("bench", "s3://data/set", "--seconds=0", "--crop=32", "--json",
                              "--remote-requests=2", "-q", **own))
    assert 1 <= found["remote"]["most_under_way"] <= 3  # one more for a late answer


@pytest.fixture
def nowhere(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a user whose service is not there."""
    for name, text in environment("http://127.0.0.1:9", tmp_path).items():
        monkeypatch.setenv(name, text)


@pytest.mark.usefixtures("nowhere")
def test_the_longest_prefix_counts(
    root: pathlib.Path, service: Service, tmp_path: pathlib.Path
) -> None:
    output("pack", PHOTOS, tmp_path / "served" / "set" / "deep", "--seed=7")
    with s3_servers.service_of_ours(tmp_path / "served") as other:
        shardine.set_remote_options("s3://data", endpoint_url=service.address)
        shardine.set_remote_options("s3://data/set/deep/", endpoint_url=other.address)
        assert shardine.remote_options("s3://data/set") == {"endpoint_url": service.address}
        assert shardine.remote_options("s3://data/set/deeper")["endpoint_url"] == service.address
        assert shardine.remote_options("s3://database") == {}
        assert (shardine.info("s3://data/set").order_digest
                == shardine.info(root / "set").order_digest)
        assert (shardine.info("s3://data/set/deep").order_digest
                == shardine.info(tmp_path / "served" / "set" / "deep").order_digest)
        shardine.set_remote_options("s3://data/set/deep")
        assert shardine.remote_options("s3://data/set/deep")["endpoint_url"] == service.address
    # Settings of one scheme say nothing of another.
    assert shardine.remote_options("gs://data") == {}


def keys_of(dataset: "shardine.Dataset") -> list[str]:
    return [sample.key for sample in dataset]


@pytest.mark.usefixtures("nowhere")
def test_a_dataset_takes_its_options_along(root: pathlib.Path, service: Service) -> None:
    options: dict[str, Any] = {"endpoint_url": service.address, "requester_pays": True}
    dataset = shardine.Dataset("s3://data/set", storage_options=options)
    wanted = keys_of(shardine.Dataset(root / "set"))
    assert keys_of(dataset) == wanted
    # Both a fresh process and a forked one have the options.
    for method in ("spawn", "fork"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.apply(keys_of, (dataset,)) == wanted
    assert SECRET.encode() not in pickle.dumps(dataset)
    with pytest.raises(ValueError, match="storage_options: another Dataset has other ones"):
        shardine.Dataset("s3://data/set", storage_options={"endpoint_url": "http://127.0.0.1:9"})
    assert keys_of(shardine.Dataset("s3://data/set", storage_options=options)) == wanted
    shardine.set_remote_options("s3://data/set")
    shardine.Dataset("s3://data/set", storage_options={"endpoint_url": service.address})
    # The user's settings for the address are not replaced either, with `/` or without.
    shardine.set_remote_options("s3://data/set/", endpoint_url=service.address, region="r")
    with pytest.raises(ValueError, match="set_remote_options"):
        shardine.Dataset("s3://data/set", storage_options=options)
    assert shardine.remote_options("s3://data/set")["region"] == "r"


@pytest.mark.parametrize(("prefix", "options", "error", "words"), [
    ("data", {}, shardine.InvalidArgumentError, "no address"),
    ("s3:/data", {"region": "x"}, shardine.InvalidArgumentError, "no address"),
    ("gs://b", {"profile": "x"}, shardine.InvalidArgumentError, "GS_ACCESS_KEY_ID"),
    ("s3://b", {"region": "a b"}, shardine.InvalidArgumentError, "no name"),
    ("s3://b", {"endpoint_url": "host:80"}, shardine.InvalidArgumentError, "endpoint"),
    ("s3://b", {"path_style": "maybe"}, ValueError, "auto, on, off"),
    ("s3://b", {"anon": True}, TypeError, "anon"),
    ("s3://b", {"requester_pays": 1}, TypeError, "neither True nor False"),
    ("s3://b", {"cache_size": "much"}, ValueError, "cache_size"),
])
def test_options_of_the_package_that_make_no_sense(
    prefix: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        shardine.set_remote_options(prefix, **options)
    assert shardine.remote_options(prefix) == {}


@pytest.fixture
def web(root: pathlib.Path, tmp_path: pathlib.Path) -> Iterator[str]:
    with nginx(root, tmp_path / "server") as address:
        yield address


def got(tmp_path: pathlib.Path) -> list[str]:
    """The files that bodies came of since this was called last, but for manifests."""
    return [path for method, path in asked_since(tmp_path / "server" / "access.log")
            if method == "GET" and not path.endswith("shardine.json")]


def test_verbs_keep_samples_where_a_cache_has_a_size(
    root: pathlib.Path, web: str, tmp_path: pathlib.Path
) -> None:
    address = f"{web}/set"
    key = output("ls", root / "set").splitlines()[0].split("\t")[3]
    (tmp_path / "new.lst").write_text("0\t1\tx\n")
    verbs: list[list[object]] = [
        ["convert", address, "{out}", "--format=tfrecord"],
        ["merge", address, address, "{out}", "--prefix={n}/"],
        ["relabel", address, "{out}", tmp_path / "new.lst", "--by=id"],
        ["extract", address, "{out}"],
        ["cat", address, key],
        ["bench", address, "--seconds=0", "--crop=32"],
    ]
    for verb in verbs:
        cache = tmp_path / f"cache-{verb[0]}"
        seen = []
        for turn in range(2):
            out = tmp_path / f"out-{verb[0]}-{turn}"
            line = [SHARDINE, *(out if each == "{out}" else each for each in verb),
                    f"--cache={cache}", "--cache-size=1G", "-q"]
            done = subprocess.run(list(map(str, line)), capture_output=True, timeout=120,
                                  env=os.environ | {"NO_PROXY": "127.0.0.1"})
            assert done.returncode == 0, done.stderr
            seen.append(got(tmp_path))
        assert any(path.endswith(".rec") for path in seen[0]), verb
        assert not any(path.endswith(".sdx") for path in seen[1]), verb
        # Shards are opened at the server, whose answer has their first bytes.
        assert len(seen[1]) < len(seen[0]), verb
        if verb[0] == "bench":
            assert re.search(rb"from the cache (\d+) of \1 reads", done.stdout), done.stdout
    contents = json.loads(output("cache", "verify", tmp_path / "cache-convert", "--json"))
    assert contents["shards"] > 0
    assert contents["shard_bytes"] > 100_000
    first, second = (tmp_path / f"out-convert-{turn}" for turn in range(2))
    assert output("diff", first, second).startswith("24 samples the same")


def test_a_verb_without_a_cache_keeps_nothing(
    web: str, tmp_path: pathlib.Path, own_cache: pathlib.Path
) -> None:
    kept = own_cache / "shardine" / "datasets"
    before = sorted(kept.iterdir()) if kept.exists() else []
    for _ in range(2):
        output("ls", f"{web}/set", "--cache=off", NO_PROXY="127.0.0.1")
        assert any(path.endswith(".sdx") for path in got(tmp_path))
    assert (sorted(kept.iterdir()) if kept.exists() else []) == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    for more in ([f"--cache={tmp_path}/mine"], ["--cache=off", "--cache-size=1G"]):
        done = run("extract", f"{web}/set", tmp_path / "out", *more, NO_PROXY="127.0.0.1")
        assert done.returncode == 2, done.stderr
        assert not (tmp_path / "out").exists()


def test_hits_are_counted_and_requests_are_in_the_trace(
    web: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    dataset = shardine.Dataset(f"{web}/set", cache=tmp_path / "cache", cache_size="1G")
    loader = shardine.Loader(dataset, batch_size=4, raw=True, trace_events=1000)
    before = loader.stats().remote
    for _ in range(2):
        count = sum(len(batch.ids) for batch in loader)
    after = loader.stats().remote
    assert after.cache_misses > before.cache_misses
    assert after.cache_hits - before.cache_hits >= count
    assert after.cache_hit_bytes > before.cache_hit_bytes
    loader.write_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    begun = {each["id"]: each for each in events if each["ph"] == "b"}
    ended = {each["id"]: each for each in events if each["ph"] == "e"}
    assert begun.keys() == ended.keys()
    assert all(begun[number]["ts"] <= ended[number]["ts"] for number in begun)
    asked = [each["args"] for each in begun.values()]
    assert {each["status"] for each in asked} <= {200, 206}
    assert any(each["path"].endswith(".rec") and each["received"] > 0 for each in asked)
    assert len(asked) <= after.tries


@pytest.mark.usefixtures("nowhere")
def test_options_may_have_the_names_of_s3fs(root: pathlib.Path, service: Service) -> None:
    options = {"anon": True, "client_kwargs": {"endpoint_url": service.address}}
    dataset = shardine.Dataset("s3://data/set", storage_options=options)
    assert keys_of(dataset) == keys_of(shardine.Dataset(root / "set"))
    assert {asked.key_id for asked in service.asked} == {""}
    options["client_kwargs"] = {"endpoint_url": service.address, "region_name": "r"}
    shardine.set_remote_options("s3://data/set")
    shardine.Dataset("s3://data/set", storage_options={**options, "anon": False})
    assert shardine.remote_options("s3://data/set")["region"] == "r"
    assert service.asked[-1].region == "r"


@pytest.mark.usefixtures("nowhere")
def test_client_kwargs_may_be_none_and_are_a_mapping(service: Service) -> None:
    options = {"endpoint_url": service.address, "client_kwargs": None}
    assert len(shardine.Dataset("s3://data/set", storage_options=options)) > 0
    for wrong in ("x", 1, ["endpoint_url"]):
        with pytest.raises(TypeError, match="client_kwargs is not a mapping of options"):
            shardine.Dataset("s3://data/set", storage_options={"client_kwargs": wrong})


@pytest.mark.parametrize("name", ["key", "secret", "token"])
def test_keys_are_no_options_and_the_refusal_says_what_is(name: str) -> None:
    with pytest.raises(TypeError, match=r'storage_options=\{"profile": "name"\}'):
        shardine.Dataset("s3://data/set", storage_options={name: "x"})


@pytest.mark.usefixtures("nowhere")
def test_options_of_a_dataset_that_does_not_open_are_forgotten(service: Service) -> None:
    right = {"endpoint_url": service.address}
    for wrong in ({"endpoint_url": "http://127.0.0.1:9"}, {**right, "profile": "none"}):
        with pytest.raises(shardine.ShardineError):
            shardine.Dataset("s3://data/set", storage_options=wrong)
        assert shardine.remote_options("s3://data/set") == {}
    shardine.Dataset("s3://data/set", storage_options=right)
    with pytest.raises(shardine.ShardineError):  # of another, which opened
        shardine.Dataset("s3://data/set", storage_options=right, split="none")
    assert shardine.remote_options("s3://data/set") == right
