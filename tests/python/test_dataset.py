"""Dataset: a sequence of samples."""

import pathlib
import pickle
import shutil

import pytest

import shardine
from conftest import PHOTOS, damage, pack


def test_each_sample_is_a_file_of_the_tree(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    files = {
        path.relative_to(PHOTOS).as_posix(): path.read_bytes()
        for path in PHOTOS.glob("*/*")
    }
    classes = sorted({key.split("/")[0] for key in files})
    assert len(dataset) == len(files) == 24
    assert dataset.classes == classes
    assert dataset.class_to_idx == {name: i for i, name in enumerate(classes)}
    seen = {}
    for position, sample in enumerate(dataset):
        assert sample.image == sample.bytes == sample.fields["image"]
        assert sample.label == classes.index(sample.key.split("/")[0])
        assert sample.labels == (sample.label,)
        assert dataset.key(position) == sample.key
        seen[sample.key] = sample.image
    assert seen == files
    ids = [dataset[i].id for i in range(24)]
    assert sorted(ids) == list(range(24))


def test_positions_count_from_the_end_and_stop_at_it(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(str(packed))
    assert dataset[-1] == dataset[23]
    assert dataset[-24] == dataset[0]
    for position in (24, -25, 2**70):
        with pytest.raises(IndexError):
            dataset[position]
        with pytest.raises(IndexError):
            dataset.key(position)
    with pytest.raises(TypeError):
        dataset["0"]  # type: ignore[index]  # refused


def test_variants_have_the_same_samples_smaller(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    small = shardine.Dataset(packed, variant="sz/160")
    assert small.variant == "sz/160"
    assert [s.key for s in small] == [s.key for s in dataset]
    assert small.order_digest == dataset.order_digest
    assert small[0].image != dataset[0].image
    with pytest.raises(shardine.NotFoundError, match="sz/160"):
        shardine.Dataset(packed, variant="sz/320")


def test_a_split_is_named_where_there_are_several(tmp_path: pathlib.Path) -> None:
    out = pack(PHOTOS, tmp_path / "out", "--split=train=0.75,val=0.25")
    assert len(shardine.Dataset(out, split="train")) == 18
    assert len(shardine.Dataset(out, split="val")) == 6
    for wrong in (None, "test"):
        with pytest.raises(ValueError, match="train.*val"):
            shardine.Dataset(out, split=wrong)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_shards_without_a_dataset_are_one_too(
    own_copy: pathlib.Path, packed: pathlib.Path
) -> None:
    whole = shardine.Dataset(packed)
    shards = sorted(own_copy.glob("*.rec"))
    for other in own_copy.iterdir():
        if other.suffix != ".rec" and other.is_file():
            other.unlink()
    beside = shardine.Dataset(shards)  # by the sidecars in .shardine
    assert [s.key for s in beside] == [s.key for s in whole]
    shutil.rmtree(own_copy / ".shardine")
    with pytest.warns(UserWarning):
        bare = shardine.Dataset(shards)
    assert [s.image for s in bare] == [s.image for s in whole]
    assert list(shardine.Dataset(path for path in shards)) == list(bare)
    assert pickle.loads(pickle.dumps(bare))[3] == bare[3]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("format", ["tfrecord", "lmdb", "hdf5", "webdataset"])
def test_every_format_gives_the_same(
    packed: pathlib.Path, tmp_path: pathlib.Path, format: str
) -> None:
    def content(dataset: pathlib.Path) -> list[tuple[list[int], list[str], bytes]]:
        loader = shardine.Loader(
            dataset,
            batch_size=6,
            seed=3,
            transform=shardine.RandomResizedCrop(16),
        )
        return [
            (batch.ids.tolist(), batch.keys, batch.images.tobytes())
            for batch in loader
        ]

    out = pack(PHOTOS, tmp_path / "out", "--seed=7", f"--format={format}")
    assert content(out) == content(packed)
    bare = [path for path in sorted(out.iterdir())
            if path.suffix in (".tfrecord", ".lmdb", ".h5", ".tar")]
    shutil.rmtree(out / ".shardine")
    for path in out.iterdir():
        if path not in bare:
            path.unlink()
    images = [sample.image for sample in shardine.Dataset(bare)]
    assert images == [sample.image for sample in shardine.Dataset(packed)]
    # A file alone is a list of one.
    for path in bare:
        one = shardine.Dataset(path)
        assert len(one) > 0
        assert list(one) == list(shardine.Dataset([path]))
    assert sum(len(shardine.Dataset(path)) for path in bare) == len(images)


def test_a_manifest_is_the_dataset_around_it(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list(shardine.Dataset(packed))
    assert list(shardine.Dataset(packed / "shardine.json")) == whole
    small = shardine.Dataset(packed / "sz" / "160" / "shardine.json")
    assert small.variant == "sz/160"
    monkeypatch.chdir(packed)
    assert list(shardine.Dataset("shardine.json")) == whole


def test_a_file_of_a_dataset_is_explained(packed: pathlib.Path) -> None:
    for file in (
        sorted(packed.glob("*.rec"))[0],
        sorted(packed.rglob("*.sdx"))[0],
        sorted((packed / "sz" / "160").glob("*.rec"))[0],
    ):
        with pytest.raises(shardine.NotFoundError) as caught:
            shardine.Dataset(file)
        assert caught.value.path == str(file)
        folder = str(caught.value).split("is one file of the dataset ")[1]
        # The advice works.
        assert len(shardine.Dataset(folder.split(",")[0])) == 24


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_shard_alone_is_a_dataset(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shard = sorted(packed.glob("*.rec"))[0]
    alone = tmp_path / "alone.rec"
    alone.write_bytes(shard.read_bytes())
    with pytest.warns(UserWarning, match="scanned"):
        dataset = shardine.Dataset(alone)
    images = [sample.image for sample in shardine.Dataset(packed)]
    assert [sample.image for sample in dataset] == images[: len(dataset)]
    assert dataset.path == str(alone)
    out = pack(PHOTOS, tmp_path / "out", "--format=lmdb", "--shards=1")
    folder = tmp_path / "folder"
    folder.mkdir()
    sorted(out.glob("*.lmdb"))[0].rename(folder / "data.mdb")
    assert len(shardine.Dataset(folder)) == 24


def test_a_list_overrides_labels(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    lines = [f"{s.id}\t{s.id + 0.5}\t{s.key}\n" for s in dataset]
    labels = tmp_path / "other.lst"
    labels.write_text("".join(lines[1:]))
    other = shardine.Dataset(packed, labels=labels)
    assert other[0].label == dataset[0].label
    assert all(s.label == s.id + 0.5 for s in list(other)[1:])
    again = pickle.loads(pickle.dumps(other))
    assert [s.label for s in again] == [s.label for s in other]


def test_a_path_that_is_not_text_is_a_path(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    odd = tmp_path / "caf\udce9"
    odd.symlink_to(packed)
    assert shardine.Dataset(odd)[0] == shardine.Dataset(packed)[0]
    with pytest.raises(FileNotFoundError) as caught:
        shardine.Dataset(tmp_path / "none\udce9")
    assert isinstance(caught.value, shardine.NotFoundError)
    assert caught.value.path == str(tmp_path / "none\udce9")


def test_damage_names_shard_record_and_key(own_copy: pathlib.Path) -> None:
    image = shardine.Dataset(own_copy)[5].image
    shard = damage(own_copy, image)
    dataset = shardine.Dataset(own_copy)
    with pytest.raises(shardine.CorruptError) as caught:
        dataset[5]
    error = caught.value
    assert isinstance(error, shardine.ShardineError)
    assert isinstance(error, ValueError)
    assert error.code == "corrupt"
    assert error.path == str(shard)
    assert error.key == dataset.key(5)
    assert error.record is not None
    assert str(shard) in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is shardine.CorruptError
    assert (again.key, again.record) == (error.key, error.record)
    assert dataset[4].image


def test_no_dataset_is_file_not_found(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        shardine.Dataset(tmp_path / "none")
    assert isinstance(caught.value, shardine.NotFoundError)
    assert caught.value.path == str(tmp_path / "none")
    assert caught.value.code == "not_found"


def test_an_unfinished_pack_is_called_so(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    (out / ".shardine").mkdir(parents=True)
    (out / ".shardine/train-00000-of-00002.rec.sdx").write_bytes(b"a sidecar")
    (out / "train-00000-of-00002.rec").write_bytes(b"its shard")
    with pytest.raises(shardine.NotFoundError, match="1 of 2 shards"):
        shardine.Dataset(out)


def test_one_label_is_asked_of_samples_with_one() -> None:
    sample = shardine.Sample(0, "k", (1, 0.5), {"data": b"x"})
    with pytest.raises(ValueError, match="2 labels"):
        sample.label
    assert sample.image == b""


def test_a_sample_is_a_tuple_of_its_parts(packed: pathlib.Path) -> None:
    sample = shardine.Dataset(packed)[3]
    id, key, labels, fields = sample
    assert (sample.id, sample.key, sample.labels) == (id, key, labels)
    assert fields["image"] == sample.image
    assert sample == shardine.Sample(id=id, key=key, labels=labels, fields=fields)
