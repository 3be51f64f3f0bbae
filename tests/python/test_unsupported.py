"""Kinds that are not decoded are not damage, and tolerated damage is reported (field
reports, B14)."""

import io
import pathlib
import tarfile
import warnings
from collections.abc import Iterable

import pytest
from conftest import PHOTOS

import shardine

# A header is all that tells a kind.
AVIF = b"\x00\x00\x00\x1cftypavif" + bytes(40)
JXL = b"\x00\x00\x00\x0cJXL \r\n\x87\n" + bytes(40)
PHOTO = (PHOTOS / "hounds" / "made_gray.jpg").read_bytes()
CROP = shardine.CenterCrop(16)


def tar(path: pathlib.Path, images: Iterable[bytes], suffix: str = "jpg") -> str:
    with tarfile.open(path, "w") as file:
        for number, image in enumerate(images):
            for name, content in ((suffix, image), ("cls", b"%d" % (number % 4))):
                member = tarfile.TarInfo(f"{number:05}.{name}")
                member.size = len(content)
                file.addfile(member, io.BytesIO(content))
    return str(path)


def quietly(shards: str, **options: object) -> shardine.Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return shardine.Dataset([shards])


@pytest.mark.parametrize("on_bad", ["fail", "drop", "gray"])
def test_40_avif_are_refused_when_a_loader_opens(
    tmp_path: pathlib.Path, on_bad: shardine.loader_options.OnBadSample
) -> None:
    dataset = quietly(tar(tmp_path / "00000.tar", [AVIF] * 40, "webp"))
    for kind in (shardine.Loader, shardine.TrainLoader, shardine.EvalLoader):
        with pytest.raises(shardine.UnsupportedError) as caught:
            kind(dataset, batch_size=8, on_bad=on_bad, transform=CROP)
        assert "40 of 40 samples" in str(caught.value)
        assert "avif (40)" in str(caught.value)
        assert caught.value.key == "00000.webp"


def test_some_are_counted_by_kind_and_may_be_left_out(tmp_path: pathlib.Path) -> None:
    images = [PHOTO, AVIF, PHOTO, JXL, AVIF, PHOTO]
    path = tar(tmp_path / "00000.tar", images)
    with pytest.warns(UserWarning, match=r"3 of 6 samples .* avif \(2\), jxl \(1\)"):
        dataset = shardine.Dataset([path])
    with pytest.raises(
        shardine.UnsupportedError, match=r"avif \(2\), jxl \(1\); the first is this avif"
    ):
        shardine.EvalLoader(dataset, batch_size=2, transform=CROP)
    loader = shardine.EvalLoader(
        dataset, batch_size=2, transform=CROP, unsupported="drop"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batches = list(loader)
    assert [batch.positions.tolist() for batch in batches] == [[0], [2], [5]]
    stats = loader.stats()
    assert (stats.bad, stats.unsupported) == (0, 3)
    assert "3 unsupported" in repr(stats)
    with pytest.raises(ValueError, match="unsupported"):
        shardine.EvalLoader(
            dataset, batch_size=2, unsupported="gray"  # type: ignore[arg-type]
        )


def test_index_and_info_say_how_many(tmp_path: pathlib.Path) -> None:
    path = tar(tmp_path / "00000.tar", [PHOTO, AVIF, JXL, AVIF])
    result = shardine.index([path], tmp_path / "indexed")
    assert any("avif (2), jxl (1)" in warning for warning in result.warnings)
    (split,) = shardine.info(tmp_path / "indexed").splits
    assert split.unsupported == {"avif": 2, "jxl": 1}
    with pytest.raises(shardine.UnsupportedError, match="3 of 4 samples"):
        shardine.TrainLoader(tmp_path / "indexed", batch_size=1, transform=CROP)
    converted = tmp_path / "converted"
    shardine.convert(tmp_path / "indexed", converted, format="recordio")
    (split,) = shardine.info(converted).splits
    assert split.unsupported == {"avif": 2, "jxl": 1}


def test_an_iterator_of_mxnets_kind_has_the_choice(tmp_path: pathlib.Path) -> None:
    shardine.index([tar(tmp_path / "0.tar", [PHOTO, AVIF])], tmp_path / "indexed")
    shape = (3, 16, 16)
    with pytest.raises(shardine.UnsupportedError, match="avif"):
        shardine.ImageRecordIter(tmp_path / "indexed", shape, 2)
    batches = shardine.ImageRecordIter(
        tmp_path / "indexed", shape, 2, unsupported="drop"
    )
    assert [len(batch) for batch in batches] == [1]


def test_bytes_are_delivered_whatever_they_are(tmp_path: pathlib.Path) -> None:
    dataset = quietly(tar(tmp_path / "0.tar", [PHOTO, AVIF]))
    (batch,) = shardine.EvalLoader(dataset, batch_size=2, raw=True)
    assert bytes(batch.images[1]) == AVIF


def test_a_batch_of_bad_samples_warns_and_an_epoch_says_how_many(
    tmp_path: pathlib.Path,
) -> None:
    cut = PHOTO[: len(PHOTO) // 2]
    images = [PHOTO] * 4 + [cut] * 4
    dataset = quietly(tar(tmp_path / "0.tar", images))
    loader = shardine.EvalLoader(
        dataset, batch_size=4, transform=CROP, on_bad="gray"
    )
    with pytest.warns(RuntimeWarning) as caught:
        assert sum(int(batch.bad.sum()) for batch in loader) == 4
    first, last = (str(warning.message) for warning in caught)
    assert first.startswith("all 4 samples of a batch are bad")
    assert "00004" in first
    assert last.startswith("epoch 0: 4 of 8 samples were bad")
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning) as again:
        list(loader)
    assert [str(warning.message)[:8] for warning in again] == ["epoch 1:"]
    assert "8 bad" in repr(loader.stats())


def test_a_warning_that_is_an_error_ends_the_iteration(
    tmp_path: pathlib.Path,
) -> None:
    dataset = quietly(tar(tmp_path / "0.tar", [PHOTO, b"no image"]))
    loader = shardine.EvalLoader(
        dataset, batch_size=1, transform=CROP, on_bad="drop"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="more than 1 % of epoch"):
            list(loader)


def test_the_first_example_hides_no_damage() -> None:
    readme = (pathlib.Path(__file__).parents[2] / "python" / "README.md").read_text()
    assert "on_bad" not in readme.split("```python")[1].split("```")[0]
