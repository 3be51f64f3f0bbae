"""Archives as sources: pack("photos.tar", ...) makes the shards of the unpacked tree."""

import hashlib
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable

import pytest
from conftest import PHOTOS, SHARDINE

import shardine

Maker = Callable[[pathlib.Path, pathlib.Path], None]


def tree(folder: pathlib.Path, seed: int) -> pathlib.Path:
    """Photos under random names, with files that are no images."""
    rng = random.Random(seed)
    photos = [each.read_bytes() for each in sorted(PHOTOS.rglob("*.*"))]
    for number in range(4):
        name = "".join(rng.choices("ab .!~é", k=5)).strip(" .") + str(number)
        for _ in range(rng.randrange(1, 9)):
            below = rng.choice(["", "deep/", f"{'long' * 40}/"])
            stem = f"{rng.randrange(10**6)}{'x' * rng.choice([0, 90, 180])}"
            file = folder / name / below / f"{stem}{rng.choice(['.JPEG', '.png', ''])}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(rng.choice(photos))
        (folder / name / ".hidden.jpg").write_bytes(b"x")
        (folder / name / "notes.txt").write_text("x")
    return folder


def in_any_order(folder: pathlib.Path) -> list[pathlib.Path]:
    paths = [each for each in folder.rglob("*") if each.is_file()]
    random.Random(1).shuffle(paths)
    return paths


def as_tar(mode: str, form: int, prefix: str = "") -> Maker:
    def make(folder: pathlib.Path, archive: pathlib.Path) -> None:
        with tarfile.open(archive, mode, format=form) as tar:
            for path in in_any_order(folder):
                tar.add(path, prefix + str(path.relative_to(folder)))
    return make


def as_class_tars(folder: pathlib.Path, archive: pathlib.Path) -> None:
    with tarfile.open(archive, "w") as tar:
        for each in sorted(folder.iterdir(), reverse=True):
            inner = io.BytesIO()
            with tarfile.open(fileobj=inner, mode="w") as classes:
                for path in in_any_order(each):
                    classes.add(path, str(path.relative_to(each)))
            member = tarfile.TarInfo(f"{each.name}.tar")
            member.size = inner.tell()
            inner.seek(0)
            tar.addfile(member, inner)


def as_zip(method: int) -> Maker:
    def make(folder: pathlib.Path, archive: pathlib.Path) -> None:
        with zipfile.ZipFile(archive, "w", method) as file:
            for path in in_any_order(folder):
                file.write(path, path.relative_to(folder))
    return make


def with_hard_links(folder: pathlib.Path, archive: pathlib.Path) -> None:
    """GNU tar, on a tree where one file has two names."""
    subprocess.run(["tar", "-cf", archive, "-C", folder, "."], check=True)


MAKERS: dict[str, Maker] = {
    "pax.tar": as_tar("w", tarfile.PAX_FORMAT),
    "gnu.tar": as_tar("w", tarfile.GNU_FORMAT, "./"),
    "links.tar": with_hard_links,
    "classes.tar": as_class_tars,
    "photos.tar.gz": as_tar("w:gz", tarfile.GNU_FORMAT),
    "stored.zip": as_zip(zipfile.ZIP_STORED),
    "deflated.zip": as_zip(zipfile.ZIP_DEFLATED),
    "without_suffix": as_zip(zipfile.ZIP_DEFLATED),
}


def files(out: pathlib.Path) -> dict[str, str]:
    """The digests of all shards and their companions."""
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in out.rglob("*")
        if path.is_file() and path.name != "shardine.json"
    }


def manifest(out: pathlib.Path) -> dict[str, object]:
    made = json.loads((out / "shardine.json").read_text())
    del made["made"], made["xxh3_128"]  # that of the manifest itself
    return dict(made)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_an_archive_packs_as_its_tree(
    tmp_path: pathlib.Path, name: str, seed: int
) -> None:
    folder = tree(tmp_path / "tree", seed)
    if name == "links.tar":
        first = sorted(folder.rglob("[0-9]*.*[gG]"))[0]
        os.link(first, first.with_name("zzz.png"))
    archive = tmp_path / name
    MAKERS[name](folder, archive)
    for shuffle, threads in [(True, 1), (False, 2), (True, 7)]:
        made = []
        for source in (folder, archive):
            out = tmp_path / f"{source.name}-{shuffle}-{threads}"
            shardine.pack(source, out, shards=2, shuffle=shuffle, jobs=threads,
                          split="train=0.75,val=0.25", seed=seed)
            made.append(out)
        assert files(made[0]) == files(made[1])
        assert manifest(made[0]) == manifest(made[1])
    shardine.verify(made[1], against=archive)
    assert shardine.pack(archive, made[1], shards=2, shuffle=True, jobs=1,
                         split="train=0.75,val=0.25", seed=seed).nothing_to_do
    assert shardine.scan(archive).kinds == shardine.scan(folder).kinds


@pytest.mark.skipif(shutil.which("zstd") is None, reason="no program zstd")
def test_a_zstd_tar_packs_as_its_tree(tmp_path: pathlib.Path) -> None:
    as_tar("w", tarfile.PAX_FORMAT)(PHOTOS, tmp_path / "photos.tar")
    subprocess.run(["zstd", "-q", tmp_path / "photos.tar"], check=True)
    shardine.pack(tmp_path / "photos.tar.zst", tmp_path / "out")
    shardine.pack(PHOTOS, tmp_path / "of_tree")
    assert files(tmp_path / "out") == files(tmp_path / "of_tree")


def test_an_archive_of_one_folder_is_asked_about(tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "photos.tar"
    as_tar("w", tarfile.PAX_FORMAT, "photos/")(PHOTOS, archive)
    with pytest.raises(ValueError, match="photos.tar/photos"):
        shardine.pack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    shardine.pack(archive / "photos", tmp_path / "out")
    shardine.pack(PHOTOS, tmp_path / "of_tree")
    assert files(tmp_path / "out") == files(tmp_path / "of_tree")
    shardine.pack(f"{archive}/.", tmp_path / "one_class")
    assert shardine.Dataset(tmp_path / "one_class").classes == ["photos"]


def test_splits_come_of_several_archives(tmp_path: pathlib.Path) -> None:
    as_class_tars(PHOTOS, tmp_path / "a.tar")
    as_zip(zipfile.ZIP_DEFLATED)(PHOTOS, tmp_path / "b.zip")
    sources = {"train": tmp_path / "a.tar", "val": tmp_path / "b.zip", "test": PHOTOS}
    shardine.pack(sources, tmp_path / "out")
    shardine.pack(dict.fromkeys(sources, PHOTOS), tmp_path / "of_tree")
    assert files(tmp_path / "out") == files(tmp_path / "of_tree")


def test_tasks_read_an_archive_and_notice_another(tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "photos.tar"
    as_class_tars(PHOTOS, archive)
    plan = str(tmp_path / "plan")
    subprocess.run([SHARDINE, "plan", "pack", archive, tmp_path / "out", "--to", plan,
                    "--shards", "2"], check=True, capture_output=True)
    run = [SHARDINE, "run-task", plan, "0"]
    stat = archive.stat()
    os.utime(archive, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert subprocess.run(run, check=False, capture_output=True).returncode == 7
    os.utime(archive, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    subprocess.run(run, check=True, capture_output=True)
    subprocess.run([SHARDINE, "finalize", plan], check=True,
                   capture_output=True)
    shardine.pack(PHOTOS, tmp_path / "of_tree", shards=2)
    made = shardine.info(tmp_path / "out")
    assert made.content_digest == shardine.info(tmp_path / "of_tree").content_digest


def test_damage_in_a_member_is_a_bad_image(tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "photos.zip"
    as_zip(zipfile.ZIP_STORED)(PHOTOS, archive)
    with zipfile.ZipFile(archive) as file:
        at = file.infolist()[3].header_offset + 200
    data = bytearray(archive.read_bytes())
    data[at] ^= 1
    archive.write_bytes(data)
    with pytest.raises(shardine.ShardineError, match="CRC-32"):
        shardine.pack(archive, tmp_path / "out")
    result = shardine.pack(archive, tmp_path / "out", on_bad="skip")
    assert sum(each.count for each in result.rejected) == 1


@pytest.mark.parametrize("name", ["photos.tar.bz2", "photos.rar", "photos.tar"])
def test_other_archives_are_refused_by_name(tmp_path: pathlib.Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"BZh9 no archive")
    with pytest.raises(shardine.ShardineError, match=r"tar\.zst or zip"):
        shardine.pack(tmp_path / name, tmp_path / "out")
