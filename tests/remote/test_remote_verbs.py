"""Each verb gives the same over nginx, plain and with TLS, as of local files."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

import shardine
from shardine_program import SHARDINE, output, run
from web_servers import nginx

pytest_plugins = ["own_cache"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
FORMATS = ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"]
NOTE = re.compile(r"note: folders cannot be listed there.*\n")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    for name in FORMATS:
        output("pack", PHOTOS, root / name, f"--format={name}", "--shard-size=256K",
               "--variants=original,sz/160")
    return root


@pytest.fixture(scope="module")
def address(
    root: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    with nginx(root, tmp_path_factory.mktemp("nginx")) as address:
        yield address


@pytest.mark.parametrize("name", FORMATS)
def test_verbs_that_look_give_the_same_as_locally(
    root: pathlib.Path, address: str, name: str
) -> None:
    here, there = str(root / name), f"{address}/{name}"
    for verb in (["info"], ["info", "--json"], ["ls"], ["ls", "--json"], ["verify"],
                 ["verify", "--level=quick"], ["verify", "--level=deep"]):
        local = output(*verb, here)
        remote = output(*verb, there)
        assert len(NOTE.findall(remote)) == (verb[0] == "verify")
        assert local.replace(here, there) == NOTE.sub("", remote)
    key = output("ls", here).splitlines()[0].split("\t")[3]
    images = [subprocess.run([SHARDINE, "cat", where, key], capture_output=True,
                             check=True).stdout for where in (here, there)]
    assert images[0] == images[1] != b""
    assert output("diff", here, there).startswith("24 samples the same")
    assert output("info", f"{there}/sz/160") == output("info", f"{here}/sz/160")


def snapshot(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", FORMATS)
def test_verbs_that_write_give_the_same_bytes_as_locally(
    root: pathlib.Path, address: str, name: str, tmp_path: pathlib.Path
) -> None:
    to = "webdataset" if name != "webdataset" else "recordio"
    for source, out in ((str(root / name), "local"), (f"{address}/{name}", "remote")):
        output("extract", source, tmp_path / out / "files")
        output("convert", source, tmp_path / out / "set", f"--format={to}")
        output("card", source, "--out", tmp_path / out / "card")
    local, remote = snapshot(tmp_path / "local"), snapshot(tmp_path / "remote")
    # The manifest tells the source as it was given.
    made = {path for path in local if path.endswith("set/shardine.json")}
    assert {path: text for path, text in local.items() if path not in made} == {
        path: text for path, text in remote.items() if path not in made}
    assert output("diff", tmp_path / "local/set", tmp_path / "remote/set")


def test_a_card_of_a_dataset_on_a_server_needs_a_folder(address: str) -> None:
    done = run("card", f"{address}/lmdb")
    assert done.returncode == 2 and "--out DIR names one" in done.stderr


@pytest.mark.parametrize("name", FORMATS)
def test_one_shard_without_a_dataset_is_read(
    root: pathlib.Path, address: str, name: str, tmp_path: pathlib.Path
) -> None:
    shard = next(path for path in sorted((root / name).glob("train-00000*"))
                 if not path.name.endswith(".idx"))
    alone = root / f"alone-{shard.name}"
    shutil.copy(shard, alone)
    there = f"{address}/{alone.name}"
    assert output("verify", there) == output("verify", alone).replace(str(alone), there)
    output("convert", there, tmp_path / "remote", "--format=recordio")
    output("convert", alone, tmp_path / "local", "--format=recordio")
    assert output("diff", tmp_path / "local", tmp_path / "remote")


@pytest.mark.parametrize("name", FORMATS)
def test_samples_and_epochs_are_those_of_the_local_files(
    root: pathlib.Path, address: str, name: str
) -> None:
    for variant in ("original", "sz/160"):
        sets = [shardine.Dataset(where, variant=variant)
                for where in (str(root / name), f"{address}/{name}")]
        assert len(sets[0]) == len(sets[1]) == 24
        assert sets[0][5].image == sets[1][5].image
        epochs = [[(batch.ids.tolist(), batch.images.tobytes()) for batch in
                   shardine.Loader(each, batch_size=5,
                                   transform=shardine.RandomResizedCrop(32))]
                  for each in sets]
        assert epochs[0] == epochs[1]


def test_tls_is_verified_by_name_and_by_authority(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with nginx(root, tmp_path / "good", tls="IP:127.0.0.1") as address:
        there = f"{address}/recordio"
        trusted = {"CURL_CA_BUNDLE": str(tmp_path / "good" / "cert.pem")}
        assert run("verify", there, **trusted).returncode == 0
        unknown = run("verify", there)
        assert unknown.returncode == 6, unknown.stderr
        assert "certificate" in unknown.stderr
    with nginx(root, tmp_path / "other", tls="DNS:elsewhere.example") as address:
        trusted = {"CURL_CA_BUNDLE": str(tmp_path / "other" / "cert.pem")}
        named = run("verify", f"{address}/recordio", **trusted)
        assert named.returncode == 6, named.stderr


def test_what_http_cannot_do_is_said(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    (root / "photos").mkdir(exist_ok=True)
    for verb, words in (
        (["pack", f"{address}/photos", tmp_path / "a"], "no such file or dataset"),
        (["pack", PHOTOS, f"{address}/out"], "can be read from and not be written to"),
        (["reindex", f"{address}/recordio"], "can be read from and not be written to"),
        (["pack", f"{address}/recordio", tmp_path / "a"], "web servers do not list"),
        (["ls", f"{address}/none"], "no such file or dataset"),
        (["info", address.replace("//", "//user:secret@") + "/x"], "no user name"),
    ):
        done = run(*verb)
        assert done.returncode not in (0, 6), done.stderr
        assert words in done.stderr
        assert "secret" not in done.stderr


def test_an_object_that_is_replaced_while_it_is_read_is_an_error(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    copy = root / "copy"
    shutil.copytree(root / "recordio", copy)
    dataset = shardine.Dataset(f"{address}/copy")
    first = bytes(dataset[0].image)
    for shard in copy.glob("*.rec"):
        # The same bytes, of another time: nginx makes its ETag of both.
        os.utime(shard, (1, 1))
    with pytest.raises(shardine.ChangedError) as raised:
        assert bytes(dataset[0].image) == first
    assert f"{address}/copy/train-" in str(raised.value)


def test_children_of_a_fork_read_by_connections_of_their_own(
    root: pathlib.Path, address: str
) -> None:
    dataset = shardine.Dataset(f"{address}/recordio")
    images = [bytes(dataset[i].image) for i in range(6)]
    ended = threading.Event()
    # The parent's connections are in use when it forks.
    reader = threading.Thread(
        target=lambda: [dataset[i % 6].image for i in iter(ended.is_set, True)])
    reader.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                read = [bytes(dataset[i].image) for i in range(6)]
                os._exit(0 if read == images else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        ended.set()
        reader.join()


def test_what_is_advised_of_a_shard_file_on_a_server_works(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    file = f"{address}/webdataset/train-00000-of-00003.tar"
    assert (root / "webdataset" / pathlib.Path(file).name).exists()
    (root / "bare.tar").write_bytes((root / "webdataset" / pathlib.Path(file).name)
                                    .read_bytes())
    bare = f"{address}/bare.tar"
    for verb, says in ((["ls", bare], "; shardine convert FILE OUT makes a dataset of it"),
                       (["index", bare, tmp_path / "no"],
                        "; shardine convert reads shard files where they lie")):
        refused = run(*verb)
        assert refused.returncode == 1 and says in refused.stderr, refused.stderr
    output("convert", bare, tmp_path / "out", "--format=recordio")
    output("info", tmp_path / "out")


def test_a_folder_that_is_a_page_as_well_is_a_dataset(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Such a server has an application that answers for all missing files."""
    (root / "page.html").write_text("<html>Welcome</html>")
    with nginx(root, tmp_path / "nginx") as address:
        config = tmp_path / "nginx" / "nginx.conf"
        config.write_text(config.read_text().replace(
            f'root "{root}";', f'root "{root}"; location / {{ try_files $uri /page.html; }}'))
        os.kill(int((tmp_path / "nginx" / "pid").read_text()), signal.SIGHUP)
        for _ in range(100):
            if run("info", f"{address}/nothing").returncode == 4:
                break  # the page is no manifest
            time.sleep(0.05)
        assert ": sound: 48 samples" in output("verify", f"{address}/tfrecord")
        assert "48 samples" in output("plan", "verify", f"{address}/tfrecord", "--to",
                                      tmp_path / "plan")


def test_names_of_shards_hold_what_addresses_do_not(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    (root / "odd").mkdir()
    name = "a#1?b %41%.tar"
    shutil.copy(root / "webdataset" / "train-00000-of-00003.tar", root / "odd" / name)
    output("index", root / "odd" / name, root / "odd")
    assert name in output("info", "--json", f"{address}/odd")
    for verb in ("verify", "ls"):
        here, there = str(root / "odd"), f"{address}/odd"
        assert (NOTE.sub("", output(verb, there))
                == output(verb, here).replace(here, there))
    output("convert", f"{address}/odd", tmp_path / "out", "--format=recordio")
