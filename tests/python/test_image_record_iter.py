"""ImageRecordIter: MXNet's arguments. Its pixels are compared with MXNet's own in
tests/interop/mxnet."""

import pathlib
import pickle
import shutil
import struct
import warnings
from typing import Any

import numpy
import pytest
from command_line import run
from conftest import PHOTOS
from numpy.typing import NDArray

import shardine
from shardine.image_record_transform import DEFAULTS
from shardine.mean_images import read_mean_image, write_mean_image

SHAPE = (3, 20, 24)
IMAGES = 11
pytestmark = pytest.mark.filterwarnings("ignore:.*scanned")


def image_of(number: int) -> NDArray[numpy.uint8]:
    noise = numpy.random.default_rng(number).integers(0, 256, (28 + number, 40, 3))
    return noise.astype(numpy.uint8)


def write(out: pathlib.Path, images: list[Any], labels: list[Any]) -> str:
    with shardine.Writer(out, format="recordio") as writer:
        for image, label in zip(images, labels):
            writer.write({"image": image, "label": label})
    (rec,) = out.glob("*.rec")
    return str(rec)


@pytest.fixture(scope="module")
def rec(tmp_path_factory: pytest.TempPathFactory) -> str:
    images = [image_of(number) for number in range(IMAGES)]
    return write(tmp_path_factory.mktemp("rec") / "out", images, list(range(IMAGES)))


def labels_in(batches: shardine.ImageRecordIter) -> list[list[float]]:
    return [batch.label[0].tolist() for batch in batches]


def middle(number: int) -> NDArray[numpy.uint8]:
    top = (28 + number - 20) // 2
    return image_of(number)[top : top + 20, 8:32].transpose(2, 0, 1)


def test_defaults_take_the_middle_as_floats_in_order(rec: str) -> None:
    batches = shardine.ImageRecordIter(rec, SHAPE, 4)
    for step, batch in enumerate(batches):
        images, labels = batch
        assert images.dtype == labels.dtype == numpy.float32
        for place, number in enumerate(labels.astype(int)):
            assert number == (4 * step + place) % IMAGES
            assert (images[place] == middle(number)).all()


def test_the_last_batch_is_filled_up_or_short(rec: str) -> None:
    full = shardine.ImageRecordIter(rec, SHAPE, 4)
    assert [batch.pad for batch in full] == [0, 0, 1]
    assert labels_in(full) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 0]]
    short = shardine.ImageRecordIter(rec, SHAPE, 4, round_batch=False)
    assert [batch.pad for batch in short] == [0, 0, 0]
    assert labels_in(short) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]
    assert len(full) == len(short) == 3


def test_next_ends_and_reset_begins(rec: str) -> None:
    batches = shardine.ImageRecordIter(rec, SHAPE, 4, shuffle=True)
    first = [batches.next().label[0].tolist() for _ in range(3)]
    with pytest.raises(StopIteration):
        batches.next()
    with pytest.raises(StopIteration):
        batches.next()
    batches.reset()
    second = [next(batches).label[0].tolist() for _ in range(3)]  # as MXNet's
    with pytest.raises(StopIteration):
        next(batches)
    assert first != second
    batches.reset()
    batches.reset()  # as often as one likes
    assert batches.epoch == 2
    assert len(labels_in(batches)) == 3


def test_shuffling_is_of_all_and_by_the_seed(rec: str) -> None:
    def order(**options: Any) -> list[float]:
        batches = shardine.ImageRecordIter(rec, SHAPE, 1, **options)
        return [label for (label,) in labels_in(batches)]

    assert order() == list(range(IMAGES))
    drawn = order(shuffle=True)
    assert drawn != order() and sorted(drawn) == order()
    assert drawn == order(shuffle=1, seed=0)
    others = [order(shuffle=True, seed=1), order(shuffle=True, seed=-1),
              order(shuffle=True, shuffle_chunk_seed=7),
              order(shuffle=True, seed_aug=0 + 5)]
    assert all(other != drawn for other in others)
    chunks = order(shuffle_chunk_size=4)
    assert sorted(chunks) == list(range(IMAGES))


def test_draws_are_those_of_seed_and_sample(rec: str) -> None:
    def images(size: int, **options: Any) -> NDArray[numpy.float32]:
        batches = shardine.ImageRecordIter(
            rec, SHAPE, size, round_batch=False, max_rotate_angle=20, rand_crop=True,
            rand_mirror=True, random_h=20, brightness=0.3, contrast=0.3,
            saturation=0.3, pca_noise=0.2, max_random_contrast=0.2, resize=30,
            max_random_illumination=9, max_shear_ratio=0.1, **options)
        made: NDArray[numpy.float32] = numpy.concatenate(
            [batch.data[0] for batch in batches])
        return made

    alike = images(4, preprocess_threads=1)
    assert (alike == images(3, preprocess_threads=3)).all()
    assert (alike != images(4, seed=1)).any()
    assert (alike != images(4, seed_aug=1)).any()
    assert (images(4, seed_aug=1) == images(4, seed_aug=1)).all()


def test_parts_share_each_epoch(rec: str) -> None:
    parts = [shardine.ImageRecordIter(rec, SHAPE, 2, num_parts=2, part_index=part,
                                      shuffle=True, round_batch=False)
             for part in range(2)]
    seen = [labels_in(part) for part in parts]
    assert len(seen[0]) == len(seen[1])
    assert sorted(sum(seen[0] + seen[1], [])) == list(range(IMAGES))


def test_a_loaders_state_goes_on(rec: str) -> None:
    batches = shardine.ImageRecordIter(rec, SHAPE, 2, shuffle=True, rand_crop=True)
    batches.next()
    state = batches.state_dict()
    rest = [batches.next().data[0] for _ in range(3)]
    again = shardine.ImageRecordIter(rec, SHAPE, 2, shuffle=True, rand_crop=True)
    again.load_state_dict(state)
    for expected in rest:
        assert (again.next().data[0] == expected).all()


def test_what_images_and_labels_are_called(rec: str) -> None:
    batches = shardine.ImageRecordIter(rec, SHAPE, 4, data_name="x", label_name="y")
    assert batches.provide_data == [("x", (4, *SHAPE))]
    assert batches.provide_label == [("y", (4,))]
    assert repr(batches).startswith("<shardine.ImageRecordIter of ")
    batch = batches.next()
    assert len(batch) == 4
    assert batch.index.tolist() == [0, 1, 2, 3]


def test_where_records_come_from(rec: str, tmp_path: pathlib.Path) -> None:
    other = write(tmp_path / "other", [image_of(1)] * 2, [50, 51])
    folder = pathlib.Path(rec).parent
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "b.rec").write_bytes(pathlib.Path(other).read_bytes())
    (bare / "a.rec").write_bytes(pathlib.Path(rec).read_bytes())
    expected = [*range(IMAGES), 50, 51]
    several: list[Any] = [f"{rec};{other}", [rec, pathlib.Path(other)], bare]
    for source in several:
        batches = shardine.ImageRecordIter(source, SHAPE, 1)
        assert [label for (label,) in labels_in(batches)] == expected
    for whole in (folder, shardine.Dataset(folder)):
        assert len(shardine.ImageRecordIter(whole, SHAPE, 1)) == IMAGES
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="path_imgrec: there is no .rec file in"):
        shardine.ImageRecordIter(tmp_path / "empty", SHAPE, 1)
    with pytest.raises(ValueError, match="path_imgrec: is empty"):
        shardine.ImageRecordIter("", SHAPE, 1)


def test_shards_of_a_split_open_by_its_indexes(tmp_path: pathlib.Path) -> None:
    """field report C3."""
    out = tmp_path / "out"
    run("pack", f"train={PHOTOS}", f"val={PHOTOS}", out, shards=3)
    train = sorted(map(str, out.glob("train-*.rec")))
    bare = tmp_path / "bare"
    bare.mkdir()
    for shard in train:
        shutil.copy(shard, bare)
    wanted = labels_in(shardine.ImageRecordIter(bare, SHAPE, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is scanned
        for given in (train, ";".join(train), f"{out}/train-*.rec"):
            batches = shardine.ImageRecordIter(given, SHAPE, 4)
            assert labels_in(batches) == wanted
            assert batches.dataset.split == "train"
        of_val = shardine.ImageRecordIter(out, SHAPE, 4, split="val")
        assert (of_val.dataset.split, len(of_val.dataset)) == ("val", 24)
    part = shardine.ImageRecordIter(train[1:], SHAPE, 4)
    assert len(part.dataset) == 16
    with pytest.raises(shardine.NotFoundError, match=r"nothing-\*\.rec"):
        shardine.ImageRecordIter(f"{out}/nothing-*.rec", SHAPE, 4)
    with pytest.raises(TypeError, match="give the Dataset its split="):
        shardine.ImageRecordIter(shardine.Dataset(out, split="val"), SHAPE, 4, split="val")


def test_an_index_of_other_records_is_refused(rec: str, tmp_path: pathlib.Path) -> None:
    index = rec.replace(".rec", ".idx")
    assert shardine.ImageRecordIter(rec, SHAPE, 4, path_imgidx=index).next()
    half = tmp_path / "half.idx"
    half.write_text("0\t0\n1\t7\n")
    with pytest.raises(ValueError, match="half.idx lists 2 records, and there are 11"):
        shardine.ImageRecordIter(rec, SHAPE, 4, path_imgidx=half)


def test_a_list_has_the_labels(rec: str, tmp_path: pathlib.Path) -> None:
    listed = tmp_path / "labels.lst"
    listed.write_text("".join(f"{i}\t{i * 2}\t{i + 0.5}\t{i}.png\n"
                              for i in range(IMAGES)))
    batches = shardine.ImageRecordIter(
        rec, SHAPE, 3, path_imglist=listed, label_width=2)
    assert batches.provide_label == [("softmax_label", (3, 2))]
    assert batches.next().label[0].tolist() == [[0, 0.5], [2, 1.5], [4, 2.5]]
    with pytest.raises(ValueError, match="label_width: 1, but the images have 2"):
        shardine.ImageRecordIter(rec, SHAPE, 3, path_imglist=listed).next()
    double = write(tmp_path / "double", [image_of(1)], [3])  # of id 0, too
    with pytest.raises(ValueError, match="none of the 11 rows"):
        shardine.ImageRecordIter(
            [rec, double], SHAPE, 3, path_imglist=listed, label_width=2)
    with pytest.raises(TypeError, match="path_imglist"):
        shardine.ImageRecordIter(
            shardine.Dataset([rec]), SHAPE, 3, path_imglist=listed)


def test_a_list_of_other_images_is_refused(rec: str, tmp_path: pathlib.Path) -> None:
    """semantics review 1: MXNet ends the process where an image has no row."""
    listed = tmp_path / "labels.lst"

    def refusal(lines: list[str]) -> str:
        listed.write_text("".join(lines))
        with pytest.raises(ValueError) as caught:
            shardine.ImageRecordIter(rec, SHAPE, 3, path_imglist=listed)
        return str(caught.value)

    rows = [f"{i}\t7\t{i}.png\n" for i in range(IMAGES)]
    assert "none of the 11 rows" in refusal([f"{100 + i}\t7\tx\n" for i in range(11)])
    assert "1 of 11 samples are not in the list" in refusal(rows[1:])
    assert "1 of the 12 rows of the list is of no sample" in refusal(
        [*rows, "11\t7\t11.png\n"])


def test_an_index_is_compared_offset_by_offset(rec: str, tmp_path: pathlib.Path) -> None:
    """semantics review 14."""
    index = tmp_path / "x.idx"
    offsets = [sample.split() for sample in
               pathlib.Path(rec).with_suffix(".idx").read_text().splitlines()]

    def refusal(lines: list[str]) -> str:
        index.write_text("\n".join(lines))
        with pytest.raises(ValueError) as caught:
            shardine.ImageRecordIter(rec, SHAPE, 3, path_imgidx=index)
        return str(caught.value)

    assert "line 1 is no id and offset" in refusal(["nothing"] * IMAGES)
    assert "line 2 has the offset 999999" in refusal(["0\t999999"] * IMAGES)
    good = [f"{id}\t{offset}" for id, offset in offsets]
    assert "begins at byte 4" in refusal([*good[1:], "0\t4"])
    assert "begins at byte 99999999" in refusal([*good[1:], "0\t99999999"])
    index.write_text("\n".join(good))
    shardine.ImageRecordIter(rec, SHAPE, 3, path_imgidx=index)


def test_types_of_pixels(rec: str) -> None:
    floats = shardine.ImageRecordIter(rec, SHAPE, 4).next().data[0]
    for dtype in ("float32", "float16", "uint8"):
        data = shardine.ImageRecordIter(rec, SHAPE, 4, dtype=dtype).next().data[0]
        assert data.dtype == dtype
        assert (data == floats).all()
    less = shardine.ImageRecordIter(rec, SHAPE, 4, dtype="int8", mirror=True,
                                    mean_r=127.5, mean_g=3).next().data[0]
    assert less.dtype == numpy.int8
    mean = numpy.array([128, 3, 0]).reshape(3, 1, 1)
    assert (less[..., ::-1] == numpy.clip(floats - mean, -128, 127)).all()


def test_gray_images_have_one_channel(rec: str, tmp_path: pathlib.Path) -> None:
    gray = [image_of(n)[..., :1].repeat(3, 2) for n in range(4)]
    file = write(tmp_path / "gray", gray, [0, 1, 2, 3])
    batch = shardine.ImageRecordIter(
        file, (1, 20, 24), 4, mean_r=7, std_r=2, max_rotate_angle=9).next()
    assert batch.data[0].shape == (4, 1, 20, 24)
    for dtype in ("int8", "uint8"):
        batch = shardine.ImageRecordIter(file, (1, 20, 24), 4, dtype=dtype).next()
        assert batch.data[0].shape == (4, 1, 20, 24)
    with pytest.raises(ValueError, match="random_h: gray images have no colors"):
        shardine.ImageRecordIter(file, (1, 20, 24), 4, random_h=3)


def test_colors_are_read_as_gray(rec: str, tmp_path: pathlib.Path) -> None:
    batch = shardine.ImageRecordIter(rec, (1, 20, 24), IMAGES).next()
    weights = numpy.array([9797, 19234, 3737]).reshape(3, 1, 1)
    colors = shardine.ImageRecordIter(rec, (3, 20, 24), IMAGES).next().data[0]
    gray = (colors.astype(int) * weights).sum(1, keepdims=True) >> 15
    assert (batch.data[0] == gray).all()
    options: dict[str, Any] = {
        "batch_size": IMAGES, "order": "sequential", "gray": True, "layout": "nchw",
        "transform": shardine.ImageRecordCrop((20, 24)),
    }  # fmt: skip
    images = next(iter(shardine.Loader([rec], **options))).images
    assert (images == gray).all()
    # Arrays stay as they are.
    with shardine.Writer(tmp_path / "arrays", format="webdataset",
                         image_format="array") as writer:
        for number in range(4):
            writer.write({"image": image_of(number), "label": number})
    with pytest.raises(ValueError, match="image of id 0 is not gray"):
        shardine.ImageRecordIter(
            shardine.Dataset(tmp_path / "arrays"), (1, 20, 24), 4).next()


def test_a_mean_image_is_made_and_kept(rec: str, tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "mean.bin")
    options: dict[str, Any] = {"mean_img": path, "mirror": True, "scale": 0.5}
    made = shardine.ImageRecordIter(rec, SHAPE, 4, **options).next().data[0]
    assert [each.name for each in tmp_path.iterdir()] == ["mean.bin"]
    flipped = [middle(number)[..., ::-1].astype(float) for number in range(IMAGES)]
    mean = numpy.mean(flipped, 0)
    assert numpy.allclose(read_mean_image(path, SHAPE), mean, atol=1e-4)
    # MXNet's mean is of images as they are mirrored, and mirrored once more.
    assert numpy.allclose(made[1], (flipped[1] - mean[..., ::-1]) / 2, atol=1e-3)
    before = pathlib.Path(path).stat().st_mtime_ns
    again = shardine.ImageRecordIter(rec, SHAPE, 4, **options).next().data[0]
    assert (again == made).all()
    assert pathlib.Path(path).stat().st_mtime_ns == before
    rounded = shardine.ImageRecordIter(
        rec, SHAPE, 4, mean_img=path, dtype="int8").next().data[0]
    assert (rounded[0] == numpy.clip(
        middle(0) - numpy.floor(read_mean_image(path, SHAPE) + 0.5), -128, 127)).all()


def test_a_mean_file_is_read_strictly(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "mean.bin")
    image = numpy.random.default_rng(1).random(SHAPE, numpy.float32)
    write_mean_image(path, image)
    good = pathlib.Path(path).read_bytes()
    assert (read_mean_image(path, SHAPE) == image).all()
    with pytest.raises(ValueError, match=r"shape \(3, 20, 24\), data_shape is"):
        read_mean_image(path, (3, 24, 20))
    for length in [*range(0, 80, 3), len(good) // 2]:
        pathlib.Path(path).write_bytes(good[:length])
        with pytest.raises(ValueError, match=f"mean_img: {path}, byte"):
            read_mean_image(path, SHAPE)
    for at in range(64):
        for flip in (1, 0x80):
            bad = bytearray(good)
            bad[at] ^= flip
            pathlib.Path(path).write_bytes(bad)
            try:
                read = read_mean_image(path, SHAPE)
            except ValueError as error:
                assert "mean_img" in str(error)
            else:  # bytes that say nothing: reserved, the device, a sibling version
                assert (read == image).all()
    pathlib.Path(path).write_bytes(good + bytes(1 << 20))
    with pytest.raises(ValueError, match="larger than an image"):
        read_mean_image(path, SHAPE)
    pathlib.Path(path).write_bytes(struct.pack("<QQQ", 0x112, 0, 2) + good[24:])
    with pytest.raises(ValueError, match="no file of one MXNet array"):
        read_mean_image(path, SHAPE)


NAN = float("nan")
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"resize": 0}, "resize: 0 is neither a side nor -1"),
    ({"resize": -7}, "resize: -7 is not in -1 to 65535"),
    ({"resize": 1.5}, "resize: 1.5 is not an integer"),
    ({"rand_crop": "yes"}, "rand_crop: 'yes' is neither True nor False"),
    ({"max_rotate_angle": -1}, "max_rotate_angle: -1 is not in 0 to 36000"),
    ({"max_rotate_angle": 10**9}, "max_rotate_angle: 1000000000 is not in"),
    ({"rotate": -30}, "rotate: -30 is not in -1 to 36000"),
    ({"rotate_list": "1,x"}, "rotate_list: '1,x' is not whole numbers"),
    ({"rotate_list": [40_000]}, "angles of ImageRecordCrop must be -36000"),
    ({"max_aspect_ratio": 1.0}, "max_aspect_ratio: 1.0 is not in 0 to 0.999"),
    ({"min_aspect_ratio": 0.0}, "min_aspect_ratio: 0.0 is not in 0.001 to 1000"),
    ({"min_aspect_ratio": 2.0, "max_aspect_ratio": 1.5}, "2.0 is above max_aspect"),
    ({"max_shear_ratio": NAN}, "max_shear_ratio: nan is not in 0 to 100"),
    ({"max_crop_size": 10}, "min_crop_size, max_crop_size: -1 and 10 are no range"),
    ({"min_crop_size": 9, "max_crop_size": 8}, "9 and 8 are no range"),
    ({"min_random_scale": 2.0}, "min_random_scale: 2.0 is above max_random_scale"),
    ({"max_random_scale": NAN}, "max_random_scale: nan is not in"),
    ({"min_random_area": 2.0}, "min_random_area: 2.0 is above max_random_area"),
    ({"min_img_size": -1.0}, "min_img_size: -1.0 is not in"),
    ({"brightness": -0.1}, "brightness: -0.1 is not in 0 to 1e.06"),
    ({"contrast": NAN}, "contrast: nan is not in"),
    ({"saturation": "a"}, "saturation: 'a' is not a number"),
    ({"pca_noise": 101}, "pca_noise: 101.0 is not in 0 to 100"),
    ({"random_h": 1.5}, "random_h: 1.5 is not an integer"),
    ({"random_s": -1}, "random_s: -1 is not in 0 to 65535"),
    ({"random_l": 1 << 20}, "random_l: 1048576 is not in 0 to 65535"),
    ({"fill_value": 256}, "fill_value: 256 is not in 0 to 255"),
    ({"inter_method": 5}, "inter_method: 5 is none of 0 to 4, 9 and 10"),
    ({"pad": -1}, "pad: -1 is not in 0 to 65535"),
    ({"mirror": 2}, "mirror: 2 is neither True nor False"),
    ({"mean_r": NAN}, "mean_r: nan is not in"),
    ({"mean_a": 1.0}, "mean_a: images have no fourth channel"),
    ({"std_a": 2.0}, "std_a: images have no fourth channel"),
    ({"std_g": 0.0}, "std_g: 0.0 is not in"),
    ({"scale": float("inf")}, "scale: inf is not in"),
    ({"mean_r": 0.485, "mean_g": 0.456, "mean_b": 0.406}, "values from 0 to 1"),
    ({"mean_r": 123.7, "std_r": 0.229, "std_g": 0.224, "std_b": 0.225},
     "std_r, std_g, std_b: .* values from 0 to 1"),
    ({"max_random_contrast": -1.0}, "max_random_contrast: -1.0 is not in"),
    ({"max_random_illumination": NAN}, "max_random_illumination: nan is not in"),
    ({"random_resized_crop": True, "rand_crop": True}, "excludes rand_crop"),
    ({"random_resized_crop": True, "max_random_scale": 2.0}, "excludes max_random"),
    ({"dtype": "uint8", "mean_r": 1.5}, "mean_r: pixels of type uint8 are not"),
    ({"dtype": "int8", "scale": 0.5}, "scale: pixels of type int8 are not"),
    ({"dtype": "float64"}, "dtype: 'float64' is none of"),
    ({"aug_seq": "aug_other"}, "aug_seq: 'aug_other' is unknown"),
    ({"ctx": "tpu"}, "ctx: 'tpu' is none of"),
    ({"device_id": -2}, "device_id: -2 is not in"),
    ({"verbose": "no"}, "verbose: 'no' is neither"),
    ({"num_parts": 0}, "num_parts: 0 is not in"),
    ({"num_parts": 2, "part_index": 2}, "rank"),
    ({"preprocess_threads": 0}, "preprocess_threads: 0 is not in"),
    ({"prefetch_buffer": 0}, "prefetch_buffer: 0 is not in"),
    ({"shuffle_chunk_size": -1}, "shuffle_chunk_size: -1 is not in"),
    ({"seed": 1 << 40}, "seed: 1099511627776 is not in"),
    ({"seed_aug": "x"}, "seed_aug: 'x' is not an integer"),
    ({"shuffle_chunk_seed": 1 << 40}, "shuffle_chunk_seed: 1099511627776 is"),
    ({"label_width": 0}, "label_width: 0 is not in"),
    ({"data_shape": (4, 8, 8)}, "has 4 channels"),
    ({"data_shape": (3, 0, 8)}, "data_shape: height: 0 is not in"),
    ({"data_shape": (3, 8)}, "data_shape: .* is not 3 numbers"),
    ({"transform": None}, "unknown option transform; it is resize, rand_crop"),
    ({"max_rotate": 3}, "unknown option max_rotate; did you mean max_rotate_angle"),
]


@pytest.mark.parametrize("options, message", REFUSED, ids=lambda v: str(v)[:50])
def test_what_makes_no_sense_is_refused_by_name(
    rec: str, options: dict[str, Any], message: str
) -> None:
    given = {"path_imgrec": rec, "data_shape": SHAPE, "batch_size": 4, **options}
    with pytest.raises((TypeError, ValueError, shardine.ShardineError), match=message):
        shardine.ImageRecordIter(**given)


def test_every_name_is_refused_or_read(rec: str) -> None:
    """An option that is never read would take anything."""
    refused = {name for options, _ in REFUSED for name in options}
    named = set(DEFAULTS) - refused
    # The others: arguments that have no bad value of their own, or are tested by their
    # effect.
    assert named == {"max_img_size", "max_random_area", "mean_img", "rand_mirror"}
    for name in named - {"mean_img"}:
        with pytest.raises((TypeError, ValueError), match=name):
            given: dict[str, Any] = {name: "x"}
            shardine.ImageRecordIter(rec, SHAPE, 4, **given)


def test_images_that_cannot_become_that_are_bad_samples(rec: str) -> None:
    with pytest.raises(shardine.ShardineError, match="smaller than the crop_size"):
        shardine.ImageRecordIter(
            rec, SHAPE, 4, min_crop_size=39, max_crop_size=39).next()
    with pytest.raises(shardine.ShardineError, match="would make an image of 40x28"):
        shardine.ImageRecordIter(
            rec, SHAPE, 4, max_random_scale=1000, min_random_scale=1000).next()
    gray = shardine.ImageRecordIter(
        rec, SHAPE, IMAGES, min_crop_size=38, max_crop_size=38, on_bad="gray",
        mean_r=28, scale=0.5).next()
    assert gray.batch.bad.tolist() == [1] * 10 + [0]
    assert (gray.data[0][0, 0] == 50).all()


def test_the_transform_alone_is_a_loaders(rec: str) -> None:
    options: dict[str, Any] = {"resize": 30, "rand_crop": True, "mean_r": 9,
                               "rand_mirror": True, "random_l": 30, "seed_aug": None}
    there = shardine.ImageRecordIter(rec, SHAPE, 4, **options)
    del options["seed_aug"]
    transform = shardine.image_record_transform(SHAPE, **options)
    here = shardine.Loader(shardine.Dataset([rec]), batch_size=4, order="sequential",
                           last_batch="pad", dtype="float32", transform=transform)
    for theirs, ours in zip(there, here, strict=True):
        assert (theirs.data[0] == ours.images).all()
    bad: list[tuple[Any, dict[str, Any], str]] = [
        ((1, 8, 8), {}, "3 channels"), (SHAPE, {"dtype": "int8"}, "dtype"),
        (SHAPE, {"mean_img": "x"}, "mean_img: is of ImageRecordIter"),
        (SHAPE, {"what": 1}, "unknown option what"),
    ]
    for shape, wrong, message in bad:
        with pytest.raises((TypeError, ValueError), match=message):
            shardine.image_record_transform(shape, **wrong)


def test_views_draw_apart(rec: str) -> None:
    view: list[Any] = [
        shardine.ImageRecordCrop(16, resize=20, angle=(-30, 30)),
        shardine.RandomHLS(20, 30, 30),
        shardine.PCANoise(0.5),
        shardine.ImageRecordJitter(0.4, 0.4, 0.4),
        shardine.ImageRecordNormalize(max_contrast=0.3),
    ]
    loader = shardine.Loader(shardine.Dataset([rec]), batch_size=3, views=[view, view],
                             dtype="float16", layout="nchw")
    batch = next(iter(loader))
    assert (batch.views[0] != batch.views[1]).any()
    assert batch.views[0].dtype == numpy.float16


def test_operations_are_values() -> None:
    for value in (shardine.ImageRecordCrop(8, angles=(1, 2)),
                  shardine.RandomHLS(1, (0, 2), 3), shardine.PCANoise(0.1),
                  shardine.ImageRecordJitter((1, 2), 0.1),
                  shardine.ImageRecordNormalize(std=(2, 2, 2))):
        assert pickle.loads(pickle.dumps(value)) == value
    with pytest.raises(ValueError, match="crop_size: .0, 0. has a 0"):
        shardine.ImageRecordCrop(8, crop_size=(0, 0))
    with pytest.raises(ValueError, match="mean_image: .* is not .3, height, width"):
        shardine.ImageRecordNormalize(mean_image=numpy.zeros((2, 3)))
    with pytest.raises(ValueError, match="not finite"):
        shardine.ImageRecordNormalize(mean_image=numpy.full((3, 2, 2), NAN))
    with pytest.raises(ValueError, match="brightness: -1 is negative"):
        shardine.ImageRecordJitter(brightness=-1)
