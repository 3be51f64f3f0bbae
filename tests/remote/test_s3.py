"""Each verb gives the same of a bucket as of local files: SeaweedFS, which checks
everything, and two services that have less than Amazon's."""

import os
import pathlib
import shutil
import subprocess
import threading
from collections.abc import Iterator
from typing import Literal

import pytest

import s3_servers
import shardine
from shardine_program import SHARDINE, output, run

pytest_plugins = ["own_cache"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
FORMATS = ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"]
SERVICES = {"seaweedfs": s3_servers.seaweedfs, "rclone": s3_servers.rclone,
            "moto": s3_servers.moto, "juicefs": s3_servers.juicefs}
ODD = ["a b", "a+b", "a%41", "ä ö", "it's (1)!", "a&b=c;d", "q?x#y", "~-._", "@,:$*",
       "日本", "a%2Fb", "[x]^{y}"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    for name in FORMATS:
        output("pack", PHOTOS, root / name, f"--format={name}", "--shard-size=256K",
               "--variants=original,sz/160")
    return root


@pytest.fixture(scope="module", params=SERVICES)
def service(
    request: pytest.FixtureRequest, root: pathlib.Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """Its address; the process has the environment of one of its users."""
    folder = tmp_path_factory.mktemp("service") / "own"
    with SERVICES[request.param](folder) as address, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        for name, text in s3_servers.environment(address).items():
            patch.setenv(name, text)
        s3_servers.upload(address, root, "sets/")
        s3_servers.upload(address, PHOTOS, "photos/")
        yield address


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize("name", FORMATS)
def test_verbs_that_look_give_the_same_as_locally(root: pathlib.Path, name: str) -> None:
    here, there = str(root / name), f"s3://data/sets/{name}"
    for verb in (["info"], ["info", "--json"], ["ls"], ["ls", "--json"], ["verify"],
                 ["verify", "--level=quick"], ["verify", "--level=deep"]):
        assert output(*verb, here).replace(here, there) == output(*verb, there)
    key = output("ls", here).splitlines()[0].split("\t")[3]
    images = [subprocess.run([SHARDINE, "cat", where, key], capture_output=True,
                             check=True).stdout for where in (here, there)]
    assert images[0] == images[1] != b""
    assert output("diff", here, there).startswith("24 samples the same")
    assert output("info", f"{there}/sz/160") == output("info", f"{here}/sz/160")


def snapshot(folder: pathlib.Path, *without: str) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name not in without}


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize("name", FORMATS)
def test_verbs_that_write_give_the_same_bytes_as_locally(
    root: pathlib.Path, name: str, tmp_path: pathlib.Path
) -> None:
    to = "webdataset" if name != "webdataset" else "recordio"
    for source, out in ((str(root / name), "local"), (f"s3://data/sets/{name}", "remote")):
        output("extract", source, tmp_path / out / "files")
        output("convert", source, tmp_path / out / "set", f"--format={to}")
    assert snapshot(tmp_path / "local", "shardine.json") == snapshot(
        tmp_path / "remote", "shardine.json")
    assert output("diff", tmp_path / "local/set", tmp_path / "remote/set")


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize("name", FORMATS)
def test_samples_and_epochs_are_those_of_the_local_files(
    root: pathlib.Path, name: str
) -> None:
    sets = [shardine.Dataset(where) for where in
            (str(root / name), f"s3://data/sets/{name}")]
    assert sets[0][5].image == sets[1][5].image
    orders: list[Literal["shuffle", "blocks"]] = ["shuffle", "blocks"]
    for order in orders:
        epochs = [[(batch.ids.tolist(), batch.images.tobytes()) for batch in
                   shardine.Loader(each, batch_size=5, order=order,
                                   transform=shardine.RandomResizedCrop(32))]
                  for each in sets]
        assert epochs[0] == epochs[1]


@pytest.mark.usefixtures("service")
def test_a_bucket_that_is_kept_is_not_needed(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    wanted = [sample.image for sample in shardine.Dataset(str(root / "recordio"))]
    epochs = [[sample.image for sample in shardine.Dataset(
        "s3://data/sets/recordio", cache=tmp_path / "cache", cache_size="1G")]
        for _ in range(2)]
    assert epochs == [wanted, wanted]
    kept = {path.suffix for path in (tmp_path / "cache").iterdir()}
    assert {".side", ".whole"} <= kept


@pytest.mark.usefixtures("service")
def test_a_bucket_is_packed_as_the_tree_that_was_copied_there(
    tmp_path: pathlib.Path,
) -> None:
    source = "s3://data/photos"
    for tree, out in ((PHOTOS, "local"), (source, "remote")):
        output("pack", tree, tmp_path / out, "--shard-size=256K",
               "--variants=original,sz/160")
        output("resize", tree, tmp_path / f"{out}-files", "--short-side=32")
    assert snapshot(tmp_path / "local", "shardine.json") == snapshot(
        tmp_path / "remote", "shardine.json")
    assert snapshot(tmp_path / "local-files") == snapshot(tmp_path / "remote-files")
    again = output("pack", source, tmp_path / "remote", "--shard-size=256K",
                   "--variants=original,sz/160")
    assert "nothing to do" in again
    # The way that it points to.
    assert f"verify {tmp_path}/remote --against {source}" in again
    assert "sound" in output("verify", tmp_path / "remote", "--against", source)
    assert output("scan", source).replace(source, "T") == output("scan", PHOTOS).replace(
        str(PHOTOS), "T")


def test_an_image_that_was_replaced_is_packed_anew_and_found_to_differ(
    service: str, tmp_path: pathlib.Path
) -> None:
    images = sorted(PHOTOS.rglob("*.JPEG"))[:4]
    to = s3_servers.client(service)
    for number, image in enumerate(images[:3]):
        to.put_object(Bucket="data", Key=f"few/c/{number}.jpg", Body=image.read_bytes())
    source = "s3://data/few"
    output("pack", source, tmp_path / "out")
    to.put_object(Bucket="data", Key="few/c/1.jpg", Body=images[3].read_bytes())
    done = run("verify", tmp_path / "out", "--against", source)
    assert done.returncode == 4
    assert f"differs from {source}/c/1.jpg" in done.stdout
    # The source has another plan now.
    done = run("pack", source, tmp_path / "out")
    assert done.returncode not in (0, 4), done.stdout
    output("pack", source, tmp_path / "other")
    assert "sound" in output("verify", tmp_path / "other", "--against", source)


@pytest.mark.usefixtures("service")
def test_lists_and_files_beside_a_bucket_may_lie_here_or_there(
    tmp_path: pathlib.Path,
) -> None:
    prefix = tmp_path / "photos"
    output("list", PHOTOS, "--lst", f"{prefix}.lst")
    service = os.environ["AWS_ENDPOINT_URL_S3"]
    s3_servers.client(service).put_object(
        Bucket="data", Key="lists/photos.lst", Body=(tmp_path / "photos.lst").read_bytes())
    output("pack", PHOTOS, tmp_path / "local", "--list", tmp_path / "photos.lst")
    for number, place in enumerate((tmp_path / "photos.lst", "s3://data/lists/photos.lst")):
        output("pack", "s3://data/photos", tmp_path / str(number), "--list", place)
        assert snapshot(tmp_path / str(number), "shardine.json") == snapshot(
            tmp_path / "local", "shardine.json")


def test_keys_of_any_letters_are_read_and_signed(
    service: str, request: pytest.FixtureRequest, tmp_path: pathlib.Path
) -> None:
    image = next(PHOTOS.rglob("*.JPEG"))
    tree = tmp_path / "tree"
    # It has files for keys, and escapes some of them twice.
    odd = ODD[:1] if "rclone" in request.node.name else ODD
    for name in odd:
        (tree / name).mkdir(parents=True)
        shutil.copy(image, tree / name / f"{name}.jpg")
    s3_servers.upload(service, tree, "odd + %20/")
    for source, out in ((tree, "local"), ("s3://data/odd + %20", "remote")):
        output("pack", source, tmp_path / out)
    assert snapshot(tmp_path / "local", "shardine.json") == snapshot(
        tmp_path / "remote", "shardine.json")
    assert len(shardine.Dataset(tmp_path / "remote")) == len(odd)


def test_a_folder_of_many_pages_is_listed_to_its_end(
    service: str, request: pytest.FixtureRequest, tmp_path: pathlib.Path
) -> None:
    if "seaweedfs" not in request.node.name:
        pytest.skip("one service is enough for many small objects")
    image = min(PHOTOS.rglob("*.JPEG"), key=lambda path: path.stat().st_size)
    to = s3_servers.client(service)
    for number in range(1_203):
        to.put_object(Bucket="data", Key=f"many/c{number % 3}/{number}.jpg",
                      Body=image.read_bytes())
    assert "1,203" in output("pack", "s3://data/many", tmp_path / "out").replace(
        "1203", "1,203")


def test_an_object_that_is_replaced_while_it_is_read_is_an_error(
    service: str, root: pathlib.Path
) -> None:
    s3_servers.upload(service, root / "recordio", "copy/")
    dataset = shardine.Dataset("s3://data/copy")
    assert bytes(dataset[0].image)
    # Where there is no ETag, the time of the object is all that tells, in seconds.
    threading.Event().wait(1.1)
    to = s3_servers.client(service)
    for shard in (root / "recordio").glob("*.rec"):
        to.put_object(Bucket="data", Key=f"copy/{shard.name}",
                      Body=shard.read_bytes()[::-1])
    with pytest.raises(shardine.ChangedError, match="s3://data/copy/train-"):
        bytes(dataset[0].image)


def test_what_is_refused_says_what_and_keeps_the_secret(
    service: str, request: pytest.FixtureRequest, tmp_path: pathlib.Path
) -> None:
    cases: list[tuple[list[object], dict[str, str], int, str]] = [
        (["ls", "s3://data/none"], {}, 1, "no such object or folder"),
        (["ls", "s3://no-such-bucket/x"], {}, 1, "NoSuchBucket"),
        (["ls", "s3://data/sets/recordio"], {"AWS_ACCESS_KEY_ID": ""}, 2,
         "AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not"),
        (["ls", "s3://data/sets/recordio"],
         {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "",
          "HOME": str(tmp_path)}, 2, "there are no credentials for S3"),
        (["ls", "s3://data/sets/recordio"], {"AWS_ENDPOINT_URL_S3": "nowhere"}, 2,
         "is no address"),
    ]
    if "moto" not in request.node.name:
        cases.append((["ls", "s3://data/sets/recordio"],
                      {"AWS_SECRET_ACCESS_KEY": "not-the-secret"}, 6, "403"))
    for verb, others, code, words in cases:
        done = run(*verb, **others)
        assert words in done.stderr
        assert done.returncode == code, done.stderr
        for secret in (s3_servers.SECRET, "not-the-secret"):
            assert secret not in done.stdout + done.stderr


def test_verify_against_a_bucket_asks_for_many_images_at_a_time(
    service: str, tmp_path: pathlib.Path
) -> None:
    output("pack", PHOTOS, tmp_path / "set", "--shard-size=256K", "--split=train=0.5,val=0.5")
    tree = tmp_path / "tree"
    shutil.copytree(PHOTOS, tree / "train")
    photos = sorted((tree / "train").rglob("*.JPEG"))
    photos[0].write_bytes(photos[0].read_bytes()[:-1] + b"x")  # other bytes
    photos[1].write_bytes(b"x")  # another size
    photos[2].unlink()
    s3_servers.upload(service, tree / "train", "against/")
    done = [run("verify", tmp_path / "set", "--against", where)
            for where in (tree / "train", "s3://data/against")]
    assert [each.returncode for each in done] == [4, 4]
    findings = [sorted(line.replace(f"{tree}/train", "T").replace("s3://data/against", "T")
                       for line in each.stdout.splitlines()) for each in done]
    for photo in photos[:2]:
        assert any(f"differs from T/{photo.relative_to(tree / 'train')}" in line
                   for line in findings[1]), findings[1]
    assert sum("the tree has no such image" in line for line in findings[1]) == 1
    assert len(findings[0]) == len(findings[1])


def test_an_object_of_no_bytes_is_a_bad_image(service: str, tmp_path: pathlib.Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(PHOTOS, tree)
    (next(each for each in sorted(tree.iterdir()) if each.is_dir()) / "no.jpg").touch()
    s3_servers.upload(service, tree, "no-bytes/")
    refused = run("pack", "s3://data/no-bytes", tmp_path / "out")
    assert refused.returncode == 1 and "no.jpg, byte 0: empty: no bytes" in refused.stderr
    for source, out in ((tree, "here"), ("s3://data/no-bytes", "there")):
        done = run("pack", source, tmp_path / out, "--on-bad=skip")
        assert done.returncode == 3, done.stderr
    assert output("diff", tmp_path / "here", tmp_path / "there").startswith("24 samples")
    assert "sound" in output("verify", tmp_path / "there", "--against",
                             "s3://data/no-bytes")


@pytest.mark.usefixtures("service")
def test_a_dataset_here_and_one_there_are_merged(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    here, there = root / "tfrecord", "s3://data/sets/lmdb"
    for inputs, out in (((here, root / "lmdb"), "local"), ((here, there), "mixed"),
                        (("s3://data/sets/tfrecord", root / "lmdb"), "other")):
        output("merge", *inputs, tmp_path / out, "--prefix={n}/", "--format=recordio")
    assert snapshot(tmp_path / "mixed", "shardine.json") == \
        snapshot(tmp_path / "local", "shardine.json")
    assert output("diff", tmp_path / "mixed", tmp_path / "other").startswith("48 samples")


@pytest.mark.usefixtures("service")
def test_a_list_may_name_objects_by_their_addresses(tmp_path: pathlib.Path) -> None:
    keys = [str(path.relative_to(PHOTOS)) for path in sorted(PHOTOS.glob("*/*.jpg"))[:3]]
    plain, full = tmp_path / "plain.lst", tmp_path / "full.lst"
    for path, before in ((plain, ""), (full, "s3://data/photos/")):
        path.write_text("".join(f"{i}\t0\t{before}{key}\n" for i, key in enumerate(keys)))
    output("pack", PHOTOS, tmp_path / "a", "--list", plain)
    output("pack", "s3://data/photos/", tmp_path / "b", "--list", full)
    assert output("diff", tmp_path / "a", tmp_path / "b").startswith("3 samples the same")
    for source, words in ((PHOTOS, "line 1: the path is an address"),
                          ("s3://data/phot", "s3://data/phot: the bucket has no such"),
                          ("http://127.0.0.1:9/x", "web servers do not list"),
                          ("s3:/data/photos", "an address has two slashes")):
        refused = run("pack", source, tmp_path / "c", "--list", full)
        assert refused.returncode in (1, 2) and words in refused.stderr, refused.stderr
