"""Keys are text in Python, and any bytes on disk."""

import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import pytest
from conftest import PHOTOS, pack

import shardine

# UTF-8, bytes of none, half a character, a surrogate's code as UTF-8.
KEYS = [b"a.jpg", "é/ü.jpg".encode(), b"\xe9\xff.jpg", b"\xc3", b"\xed\xb2\x80", b"a\nb"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("keys") / "out"
    with shardine.Writer(out, format="webdataset") as writer:
        for number, key in enumerate(KEYS):
            writer.write({"image": image(number), "label": number}, key=key)
    return out


def image(number: int) -> bytes:
    return sorted(PHOTOS.glob("*/*"))[number].read_bytes()


def test_any_bytes_are_a_key_as_text_and_come_back(odd: pathlib.Path) -> None:
    dataset = shardine.Dataset(odd)
    texts = [key.decode("utf-8", "surrogateescape") for key in KEYS]
    assert dataset.keys == texts
    assert [dataset.key(i) for i in range(6)] == texts
    assert [dataset.key_bytes(i) for i in range(6)] == KEYS
    assert [sample.key for sample in dataset] == texts
    assert [sample.key_bytes for sample in dataset] == KEYS
    assert [key for key, target in dataset.samples] == texts
    copies = pickle.loads(pickle.dumps(list(dataset)))
    assert [sample.key_bytes for sample in copies] == KEYS
    assert [row.key for row in shardine.ls(odd)] == texts


def test_batches_have_keys_as_text_and_as_bytes(odd: pathlib.Path) -> None:
    with shardine.Loader(odd, batch_size=6, order="sequential", raw=True) as loader:
        (batch,) = loader
    assert batch.key_bytes == KEYS
    assert batch.keys == shardine.Dataset(odd).keys


def test_a_key_is_looked_up_as_text_or_as_bytes(odd: pathlib.Path) -> None:
    dataset = shardine.Dataset(odd)
    for position, key in enumerate(KEYS):
        text = key.decode("utf-8", "surrogateescape")
        assert dataset.position(key) == dataset.position(text) == position
        for given in (key, text):
            assert shardine.cat(odd, given) == dataset[position].image
    with pytest.raises(shardine.NotFoundError, match="no sample 'nobody'") as caught:
        dataset.position("nobody")
    assert (caught.value.key, caught.value.key_bytes) == ("nobody", b"nobody")
    for lookup in (dataset.position, lambda key: shardine.cat(odd, key)):
        with pytest.raises(TypeError, match="^key: 3 is neither"):
            lookup(3)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="^key: '.ud800' is no text"):
            lookup("\ud800")


OF_CLASSES = r"""
import json, sys
import shardine
dataset = shardine.Dataset(sys.argv[1])
weights = {name: 1 for name in dataset.classes}
sampling = shardine.Weighted(weights, samples=4)
loader = shardine.Loader(dataset, batch_size=4, raw=True, sampling=sampling)
print(json.dumps([
    dataset.classes, shardine.Mix([(dataset, 1)]).classes, sorted(dataset.keys),
    len(dataset.select("caf\u00e9")), len(dataset.select(where="class = 'caf\u00e9'")),
    len(list(loader)),
]))
"""


def test_names_of_classes_are_decoded_alike_in_every_locale(
    tmp_path: pathlib.Path,
) -> None:
    """semantics review 11."""
    names = ["café", "zebra", "\udce9"]
    for name in names:
        (tmp_path / "tree" / name).mkdir(parents=True)
        shutil.copy(sorted(PHOTOS.glob("*/*"))[0], tmp_path / "tree" / name / "é.jpg")
    out = pack(tmp_path / "tree", tmp_path / "out")
    keys = sorted(f"{name}/é.jpg" for name in names)
    for locale in ("POSIX", "C.UTF-8"):
        ran = subprocess.run(
            [sys.executable, "-B", "-c", OF_CLASSES, out],
            env=os.environ | {"LC_ALL": locale, "PYTHONCOERCECLOCALE": "0",
                              "PYTHONUTF8": "0"},
            capture_output=True, check=True,
        )
        classes, of_mix, of_samples, *counts = json.loads(ran.stdout)
        assert (sorted(classes), sorted(of_mix), of_samples) == (names, names, keys)
        assert counts == [1, 1, 1]


def test_an_error_has_the_key_as_text_and_as_bytes(
    odd: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(odd, copy)
    (shard,) = copy.glob("*.tar")
    content = bytearray(shard.read_bytes())
    content[content.find(image(2)) + 999] ^= 1
    shard.write_bytes(content)
    with pytest.raises(shardine.CorruptError) as caught:
        shardine.Dataset(copy)[2]
    again = pickle.loads(pickle.dumps(caught.value))
    for error in (caught.value, again):
        assert (error.key, error.key_bytes) == ("\udce9\udcff.jpg", KEYS[2])
    assert shardine.ShardineError("x").key_bytes is None


def test_splits_and_variants_are_those_of_the_manifest(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "out"
    with shardine.Writer(out) as writer:
        for number, split in enumerate(("val", "train", "val")):
            writer.write({"image": image(number)}, split=split)
    for split in ("train", "val"):
        dataset = shardine.Dataset(out, split=split)
        assert dataset.split == split
        assert dataset.splits == ["train", "val"]
        assert dataset.variants == ["original"]
    for variant in ("original", "sz/160"):
        dataset = shardine.Dataset(packed, variant=variant)
        assert dataset.variant == variant
        assert dataset.variants == ["original", "sz/160"]
        for each in dataset.variants:
            assert len(shardine.Dataset(packed, variant=each)) == 24
    small = shardine.Dataset(packed / "sz" / "160")
    assert small.variants == [small.variant] == ["sz/160"]


def test_shard_files_alone_are_of_one_split_and_variant(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shard = tmp_path / "some.rec"
    shutil.copy(next(packed.glob("*.rec")), shard)
    for given in (shard, [shard]):
        with pytest.warns(UserWarning, match="scanned"):
            dataset = shardine.Dataset(given)
        assert dataset.splits == [dataset.split] == ["train"]
        assert dataset.variants == [dataset.variant] == ["original"]


def test_a_dataset_that_is_gone_has_no_splits(own_copy: pathlib.Path) -> None:
    dataset = shardine.Dataset(own_copy)
    (own_copy / "shardine.json").unlink()
    with pytest.raises(shardine.NotFoundError):
        dataset.splits
