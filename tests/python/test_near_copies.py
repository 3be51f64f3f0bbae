"""Images that look alike, as shardine.audit(near=True) finds them."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from command_line import json_of
from conftest import PHOTOS, SHARDINE, damage, pack
from PIL import Image, ImageOps

import shardine


@pytest.fixture
def trees(tmp_path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """Photos, and two of them edited."""
    train = pathlib.Path(shutil.copytree(PHOTOS / "hounds", tmp_path / "train" / "a"))
    val = tmp_path / "val" / "b"
    val.mkdir(parents=True)
    image = Image.open(train / "whippet.JPEG").convert("RGB")
    image.save(val / "again.jpg", quality=20)
    ImageOps.mirror(image.resize((200, 150))).save(val / "flipped.png")
    return train.parent, val.parent


def audit_of(trees: tuple[pathlib.Path, pathlib.Path], **options: object) -> shardine.AuditResult:
    train, val = trees
    return shardine.audit(f"train={train}", f"val={val}", **options)  # type: ignore[arg-type]


def test_edited_photos_leak_when_asked(
    trees: tuple[pathlib.Path, pathlib.Path],
) -> None:
    exact = audit_of(trees)
    assert exact.copies == () and exact.near_pairs == 0 and exact.unread == 0
    found = audit_of(trees, near=True)
    assert found.leaking == 0 and found.near_leaking == 2
    assert found.near_conflicting == 2 and found.near_duplicates == 1
    (shared,) = found.near_splits
    assert (shared.split, shared.samples, shared.copies) == ("val", 2, 2)
    pairs = [{each.key for each in image.samples} for image in found.copies]
    # Each two of them were compared: no pair follows from two others.
    assert found.near_pairs == 3 and sorted(map(sorted, pairs)) == [
        ["a/whippet.JPEG", "b/again.jpg"],
        ["a/whippet.JPEG", "b/flipped.png"],
        ["b/again.jpg", "b/flipped.png"],
    ]
    assert {image.kind for image in found.copies} == {"near"}
    assert all(len(image.samples) == 2 and image.second == 1 for image in found.copies)
    train, val = trees
    told = json_of("audit", f"train={train}", f"val={val}", near=True)
    assert found.to_dict() == told
    assert audit_of(trees, near=True, jobs=1) == found


def test_a_distance_bounds_what_is_compared(
    trees: tuple[pathlib.Path, pathlib.Path],
) -> None:
    assert audit_of(trees, near=True, near_distance=1).near_pairs == 0
    assert audit_of(trees, near=True, near_distance=101).near_pairs == 3
    with pytest.raises(ValueError, match="not in 1 to 101"):
        audit_of(trees, near=True, near_distance=102)
    with pytest.raises(shardine.InvalidArgumentError):
        audit_of(trees, near=True, index_only=True)


def test_clean_lists_have_no_two_images_that_are_alike(
    trees: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path
) -> None:
    clean = audit_of(trees, near=True, clean=tmp_path / "clean.lst")
    assert clean.left_out == 2
    kept = [line.split("\t")[-1].strip() for path in clean.lists for line in open(path)]
    assert "b/again.jpg" in kept  # the first of the smallest split
    assert "b/flipped.png" not in kept and "a/whippet.JPEG" not in kept


def test_one_image_in_other_bytes_is_said_to_be_that(tmp_path: pathlib.Path) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS / "hounds", tmp_path / "tree" / "a"))
    # A comment changes the file and no pixel.
    photo = (tree / "whippet.JPEG").read_bytes()
    (tree / "zz.jpg").write_bytes(photo[:2] + b"\xff\xfe\x00\x05abc" + photo[2:])
    found = shardine.audit(tmp_path / "tree", near=True)
    assert found.same_pixels == 1 and found.near_pairs == 0
    (image,) = found.copies
    assert image.kind == "pixels" and image.proved and image.second == 0


def test_files_that_cannot_be_read_are_named(
    trees: tuple[pathlib.Path, pathlib.Path],
) -> None:
    train, val = trees
    (train / "a" / "page.jpg").write_text("<html>")
    (train / "a" / "gone.jpg").symlink_to("nowhere")
    assert audit_of(trees).unread == 1  # pixels are not looked at
    found = audit_of(trees, near=True)
    assert found.unread == 2
    assert [each for each in found.problems if "gone.jpg" in each]
    assert [each for each in found.problems if "page.jpg" in each]
    done = subprocess.run([SHARDINE, "audit", str(train), "--near"], stdout=subprocess.PIPE)
    assert done.returncode == 3 and b"page.jpg" in done.stdout


def test_the_smallest_variant_is_what_is_decoded(tmp_path: pathlib.Path) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "tree"))
    Image.open(tree / "hounds" / "whippet.JPEG").save(
        tree / "hounds" / "zz.jpg", quality=40
    )
    out = pack(tree, tmp_path / "out", "--variants=original,sz/96,sz/160")
    plain = pack(tree, tmp_path / "plain")
    found = shardine.audit(out, near=True)
    assert found.near_pairs == 1
    assert shardine.audit(plain, near=True).near_pairs == 1
    image = shardine.Dataset(out / "sz" / "96")[0].image
    damage(out / "sz" / "96", image)
    assert shardine.audit(out, near=True).unread == 1


def test_samples_of_the_same_bytes_share_what_was_compared(
    tmp_path: pathlib.Path,
) -> None:
    photo = Image.open(PHOTOS / "hounds" / "whippet.JPEG").convert("RGB")
    pixels = np.asarray(photo.resize((128, 128)))
    noisy = np.clip(pixels + np.random.default_rng(1).integers(-6, 7, pixels.shape), 0, 255)
    other = np.random.default_rng(2).integers(0, 255, pixels.shape)
    images = [pixels, noisy.astype(np.uint8), other.astype(np.uint8), pixels]
    with shardine.Writer(tmp_path / "out", format="tfrecord") as writer:
        for i, image in enumerate(images):
            writer.write({"image": image, "label": i}, split="val" if i == 1 else "train")
    found = shardine.audit(tmp_path / "out", near=True)
    assert (found.duplicates, found.near_pairs, found.near_duplicates) == (1, 1, 0)
    exact, near = found.copies
    assert (exact.kind, near.kind, near.second) == ("bytes", "near", 2)
    assert [each.id for each in near.samples] == [0, 3, 1]
    assert near.findings == ("leakage", "label-conflict")


def test_odd_images_are_found_when_asked(
    trees: tuple[pathlib.Path, pathlib.Path],
) -> None:
    train, _ = trees
    Image.new("RGB", (300, 90), (5, 5, 9)).save(train / "a" / "black.png")
    assert audit_of(trees).odd == () and audit_of(trees).odd_counts == {}
    found = audit_of(trees, odd=True)
    (black,) = (each for each in found.odd if each.sample.key == "a/black.png")
    assert black.findings == ("dark", "odd_aspect_ratio", "low_information")
    assert found.odd_counts["dark"] == 1 and found.odd_counts["light"] == 0
    train, val = trees
    assert found.to_dict() == json_of("audit", f"train={train}", f"val={val}", odd=True)
    with pytest.raises(shardine.InvalidArgumentError):
        audit_of(trees, odd=True, index_only=True)
