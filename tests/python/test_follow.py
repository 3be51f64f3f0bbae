"""Masks, boxes and points that follow their images through transforms."""

import io
import random
from typing import Any

import numpy
import pytest
from PIL import Image

import shardine

SAMPLES = 14
SHORT: dict[str, Any] = {"batch_size": 5, "last_batch": "short", "filter": "nearest"}
FOLLOW = {
    "mask": "nearest-exact", "coded": "nearest-exact", "deep": "nearest-exact",
    "bbox": "boxes", "category": "with:bbox", "keypoints": "points with:bbox",
}  # fmt: skip


def encoded(pixels: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def fields_of(number: int) -> dict[str, Any]:
    """The mask equals the image and must stay so. Each box is a pixel, whose numbers
    say which one."""
    noise = numpy.random.default_rng(number)
    height, width = (int(side) for side in noise.integers(12, 60, 2))
    y, x = numpy.mgrid[:height, :width].astype(numpy.uint8)
    image = numpy.stack([x + 1, y + 1, noise.integers(0, 256, x.shape)], 2).astype("u1")
    count = int(noise.integers(0, 9))
    left = noise.integers(0, width, count).astype(float)
    top = noise.integers(0, height, count).astype(float)
    boxes = numpy.stack([left, top, left + 1, top + 1], 1)
    middles = boxes[:, :2] + 0.5
    points = numpy.concatenate([middles, numpy.full((count, 1), 2.0)], 1)
    return {
        "image": encoded(image), "mask": image, "coded": encoded(image),
        "deep": encoded(x.astype(numpy.uint16) * 1000), "bbox": boxes,
        "category": numpy.stack([left + 1, top + 1], 1).astype(numpy.int64),
        "keypoints": points.reshape(count, 1, 3), "label": number,
    }  # fmt: skip


def write(path: Any, samples: Any) -> shardine.Dataset:
    with shardine.Writer(path, format="tfrecord") as writer:
        for number, fields in enumerate(samples):
            writer.write(fields, key=f"key{number}")
    return shardine.Dataset(path)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> shardine.Dataset:
    path = tmp_path_factory.mktemp("follow") / "data"
    return write(path, (fields_of(i) for i in range(SAMPLES)))


def transform(draw: random.Random, *, turns: bool = True) -> list[Any]:
    size = (draw.randint(6, 50), draw.randint(6, 50))
    geometry = draw.choice([
        shardine.RandomResizedCrop(size), shardine.CenterCrop(size),
        shardine.CenterCrop(size, resize=0), shardine.Resize(size),
        shardine.FixedCrop((2, 3, 8, 7), size),
        shardine.RandomCrop(size, padding=4, pad_if_needed=True),
    ])  # fmt: skip
    moves: list[Any] = [shardine.RandomVerticalFlip()]
    if not isinstance(geometry, shardine.RandomResizedCrop):
        moves.append(shardine.RandomHorizontalFlip())
    if turns:
        moves += [
            shardine.RandomRotation(40),
            shardine.RandomAffine(20, (0.1, 0.1), (0.8, 1.3), 10),
            shardine.Affine(5, (1, 2), 1.1, (3, 4)),
        ]
    return [geometry, *draw.sample(moves, draw.randint(0, len(moves)))]


def test_masks_have_the_pixels_of_their_images(dataset: shardine.Dataset) -> None:
    for pipeline in range(120):
        made = transform(random.Random(pipeline))
        loader = shardine.Loader(
            dataset, transform=made, follow=FOLLOW, seed=pipeline, layout="nhwc", **SHORT)
        for batch in loader:
            numpy.testing.assert_array_equal(batch.fields["mask"], batch.images)
            numpy.testing.assert_array_equal(batch.fields["coded"], batch.images)
            deep = batch.fields["deep"]
            assert deep.dtype == numpy.uint16
            there = batch.images[..., 0] > 0
            x = batch.images[..., 0].astype(numpy.uint16)
            numpy.testing.assert_array_equal(deep, numpy.where(there, (x - 1) * 1000, 0))


def test_values_change_no_field(dataset: shardine.Dataset) -> None:
    cut: Any = shardine.RandomResizedCrop(20)
    changes: list[Any] = [
        shardine.ColorJitter(0.4, 0.4, 0.4), shardine.RandomInvert(1),
        shardine.RandomErasing(1), shardine.GaussianBlur(3), shardine.Lighting(0.5)]  # fmt: skip
    plain, changed = (
        shardine.Loader(dataset, transform=made, follow=FOLLOW, seed=4, **SHORT)
        for made in ([cut], [cut, *changes])
    )
    for one, other in zip(plain, changed):
        for name in ("mask", "coded", "deep"):
            numpy.testing.assert_array_equal(one.fields[name], other.fields[name])
        assert (one.images != other.images).any()


def test_boxes_and_points_lie_where_their_pixels_are(dataset: shardine.Dataset) -> None:
    """A box is one pixel: where that is enlarged, its middle shows it."""
    seen = 0
    for pipeline in range(120):
        draw = random.Random(pipeline)
        size = (draw.randint(100, 150), draw.randint(100, 150))
        made: list[Any] = [shardine.RandomResizedCrop(size, scale=(0.1, 0.5)), shardine.RandomVerticalFlip()]
        if pipeline % 2:
            made.append(shardine.Affine(90 * draw.randint(0, 3)))
        loader = shardine.Loader(
            dataset, transform=made, follow=FOLLOW, seed=pipeline, layout="nhwc",
            min_visible=0.9, **SHORT)  # fmt: skip
        for batch in loader:
            fields = batch.fields
            for row in range(len(batch)):
                boxes = fields["bbox"].sample(row)
                rows = fields["category"].sample(row)
                points = fields["keypoints"].sample(row)
                assert len(boxes) == len(rows) == len(points)
                assert points.shape[1:] == (1, 3)
                for box, at, ((x, y, there),) in zip(boxes, rows, points):
                    assert there == 2
                    assert box[0] < x < box[2] and box[1] < y < box[3]
                    assert batch.images[row, int(y), int(x), :2].tolist() == at.tolist()
                    seen += 1
    assert seen > 1000


def test_dropped_boxes_take_their_rows_with_them(dataset: shardine.Dataset) -> None:
    options: dict[str, Any] = {"transform": shardine.CenterCrop(8, resize=0), "follow": FOLLOW, **SHORT}
    kept = dropped = 0
    for batch in shardine.Loader(dataset, **options, layout="nhwc"):
        for row, number in enumerate(batch.labels.tolist()):
            inside = {tuple(at) for at in batch.images[row, ..., :2].reshape(-1, 2).tolist()}
            stored = fields_of(number)["category"].tolist()
            expected = [at for at in stored if tuple(at) in inside]
            assert batch.fields["category"].sample(row).tolist() == expected
            kept, dropped = kept + len(expected), dropped + len(stored) - len(expected)
    assert kept > 5 and dropped > 5


def test_min_visible_is_of_the_area_that_is_left(tmp_path: Any) -> None:
    image = encoded(numpy.zeros((20, 20, 3), numpy.uint8))
    boxes = numpy.array([[8, 8, 12, 12], [3, 8, 8, 12], [0, 0, 4, 4], [4, 4, 8, 8]], float)
    made = write(tmp_path / "d", [{"image": image, "bbox": boxes, "which": numpy.arange(4)}])
    cut = shardine.CenterCrop(10, resize=0)  # from 5 to 15
    for least, left in ((0, [0, 1, 3]), (0.5, [0, 1, 3]), (0.57, [0, 1]), (0.61, [0])):
        loader = shardine.Loader(
            made, batch_size=1, seed=1, transform=cut, min_visible=least,
            follow={"bbox": "boxes", "which": "with:bbox"})  # fmt: skip
        fields = next(iter(loader)).fields
        assert fields["which"].sample(0).tolist() == left
        assert fields["bbox"].sample(0)[0].tolist() == [3, 3, 7, 7]


def test_points_outside_are_minus_one(tmp_path: Any) -> None:
    image = encoded(numpy.zeros((20, 30, 3), numpy.uint8))
    two = numpy.array([[15, 10], [1, 1], [10, 5]], "f4")
    three = numpy.array([[[15, 10, 1], [15, 10, 0]], [[1, 1, 2], [20, 15, 2]]], "f8")
    made = write(tmp_path / "d", [{"image": image, "two": two, "three": three}])
    loader = shardine.Loader(
        made, batch_size=1, seed=1, transform=shardine.CenterCrop(10, resize=0),
        follow={"two": "points", "three": "points"}, ragged="list")  # fmt: skip
    fields = next(iter(loader)).fields
    assert fields["two"][0].tolist() == [[5, 5], [-1, -1], [0, 0]]
    assert fields["three"][0].tolist() == [
        [[5, 5, 1], [-1, -1, 0]], [[-1, -1, 0], [10, 10, 2]]]  # fmt: skip


def test_pad_to_makes_one_array(dataset: shardine.Dataset) -> None:
    options: dict[str, Any] = {"transform": shardine.RandomResizedCrop(30), "follow": FOLLOW, "seed": 3}
    ragged = shardine.Loader(dataset, **options, **SHORT)
    padded = shardine.Loader(dataset, **options, pad_to=9, **SHORT)
    for one, other in zip(ragged, padded):
        assert other.fields["bbox"].shape == (len(one), 9, 4)
        assert other.fields["keypoints"].shape == (len(one), 9, 1, 3)
        for name in ("bbox", "category", "keypoints"):
            for row, own in enumerate(one.fields[name].samples()):
                numpy.testing.assert_array_equal(other.fields[name][row, : len(own)], own)
                assert (other.fields[name][row, len(own) :] == -1).all()
    with pytest.raises(shardine.ShardineError, match="more than pad_to, 1"):
        for _ in shardine.Loader(dataset, **options, pad_to=1, **SHORT):
            pass


def test_each_view_has_its_own(dataset: shardine.Dataset) -> None:
    views: list[Any] = [shardine.RandomResizedCrop(24), [shardine.CenterCrop(16), shardine.RandomRotation(90)]]
    for batch in shardine.Loader(
        dataset, views=views, follow=FOLLOW, layout="nhwc", seed=1, **SHORT
    ):
        assert list(batch.fields) == list(FOLLOW)
        for number, view in enumerate(batch.views):
            for name in ("mask", "coded"):
                numpy.testing.assert_array_equal(batch.fields[name][number], view)
            lengths = [len(own) for own in batch.fields["bbox"][number].samples()]
            assert lengths == [len(own) for own in batch.fields["category"][number].samples()]


def content(batch: Any) -> list[bytes]:
    fields = batch.fields
    ragged = [fields[name].values for name in ("bbox", "category", "keypoints")]
    arrays = [batch.images, fields["mask"], fields["deep"], *ragged]
    return [numpy.ascontiguousarray(array).tobytes() for array in arrays]


def test_a_state_resumes_in_the_middle_of_an_epoch(dataset: shardine.Dataset) -> None:
    options: dict[str, Any] = {
        "transform": [shardine.RandomResizedCrop(32), shardine.RandomRotation(30)],
        "follow": FOLLOW, "seed": 6, **SHORT}  # fmt: skip
    whole = shardine.Loader(dataset, **options)
    batches = iter(whole)
    next(batches)
    state = whole.state_dict()
    rest = [content(batch) for batch in batches]
    resumed = shardine.Loader(dataset, **options, threads=3)
    resumed.load_state_dict(state)
    assert [content(batch) for batch in resumed] == rest


def test_ranks_have_what_one_has(dataset: shardine.Dataset) -> None:
    options: dict[str, Any] = {
        "transform": shardine.RandomResizedCrop(32), "follow": FOLLOW, "seed": 6,
        "last_batch": "short", "pad_to": 9}  # fmt: skip

    def masks(**more: Any) -> dict[int, Any]:
        seen: dict[int, Any] = {}
        for batch in shardine.Loader(dataset, **options, **more):
            for row, number in enumerate(batch.labels.tolist()):
                own = (batch.fields["mask"][row].tobytes(), batch.fields["bbox"][row].tobytes())
                assert number not in seen
                seen[number] = own
        return seen

    alone = masks(batch_size=14)
    shares = [masks(batch_size=2, rank=rank, world=3) for rank in range(3)]
    assert {n: own for share in shares for n, own in share.items()} == alone


def test_presets_and_phases_follow(dataset: shardine.Dataset) -> None:
    follow = {"mask": "nearest-exact"}
    more: dict[str, Any] = {"follow": follow, "filter": "nearest", "layout": "nhwc"}
    phases = [shardine.Phase(0, dataset, shardine.RandomResizedCrop(12), 5)]
    for loader in (
        shardine.TrainLoader(dataset, batch_size=5, seed=1, **more),
        shardine.EvalLoader(dataset, batch_size=5, **more),
        shardine.PhasedLoader(phases, seed=1, **more),
        shardine.Loader(dataset, batch_size=5, transform=shardine.RectVal(16),
                        order="ratio", last_batch="short", **more),
    ):  # fmt: skip
        for batch in loader:
            numpy.testing.assert_array_equal(batch.fields["mask"], batch.images)


def test_masks_that_are_pngs_keep_their_numbers(tmp_path: Any) -> None:
    numbers = numpy.arange(16 * 16, dtype=numpy.uint8).reshape(16, 16)
    palette = Image.fromarray(numbers, "P")
    palette.putpalette(list(range(255, -1, -1)) * 3)
    bits = Image.fromarray(numbers > 100)
    four = Image.merge("RGBA", [Image.fromarray(numbers + i) for i in range(4)])
    for image in (palette, bits, four, Image.fromarray(numbers)):
        file = io.BytesIO()
        image.save(file, "PNG")
        expected = numpy.array(image).astype(numpy.uint8)
        path = tmp_path / str(image.mode)
        made = write(path, [{"image": encoded(numpy.dstack([numbers] * 3)), "m": file.getvalue()}])
        for size in (16, 7):
            loader = shardine.Loader(
                made, batch_size=1, seed=1, transform=shardine.CenterCrop(size, resize=0),
                follow={"m": "nearest"})  # fmt: skip
            got = next(iter(loader)).fields["m"][0]
            first = round((16 - size) / 2)
            part = expected[first : first + size, first : first + size]
            numpy.testing.assert_array_equal(got, part)


def test_gray_samples_have_masks_of_mask_fill(tmp_path: Any) -> None:
    good = fields_of(3)
    bad = {**fields_of(4), "mask": numpy.zeros((3, 3, 3), numpy.uint8)}
    loader = shardine.Loader(
        write(tmp_path / "d", [good, bad]), batch_size=2, order="sequential",
        transform=shardine.Resize(8), follow={"mask": "nearest", "bbox": "boxes"},
        mask_fill=255, on_bad="gray")  # fmt: skip
    with pytest.warns(RuntimeWarning):
        batches = list(loader)
    (batch,) = batches
    assert batch.bad.tolist() == [False, True]
    assert (batch.fields["mask"][1] == 255).all()
    assert batch.fields["bbox"].sample(1) is None


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("mask", numpy.zeros((5, 6, 3), "u1"), r"a mask of 5 x 6 pixels, its image has"),
        ("mask", numpy.zeros((3, 4), "u1"), "a mask of 3 x 4 pixels"),
        ("mask", numpy.zeros(7, "u1"), "a mask is height x width"),
        ("coded", b"no image at all", "neither an array nor a PNG or JPEG"),
        ("bbox", numpy.array([[0, 0, numpy.nan, 1]]), "row 0: .*nan"),
        ("bbox", numpy.array([[0, 0, 1, 1], [5, 0, 1, 1.0]]), "row 1: 5"),
        ("bbox", numpy.zeros((2, 5)), "2 x 5; rows are as the first sample's"),
        ("category", numpy.zeros((33, 2), "i8"), '33 rows, and "bbox" has'),
        ("keypoints", numpy.full((4, 1, 3), numpy.inf), "a point that is none"),
    ],
)
def test_a_field_that_cannot_follow_is_named_amid_an_epoch(
    tmp_path: Any, field: str, value: Any, message: str
) -> None:
    samples = [fields_of(i) for i in range(1, 12)]
    samples[8] = {**samples[8], field: value}
    made = write(tmp_path / "data", samples)
    loader = shardine.Loader(
        made, batch_size=3, order="sequential", last_batch="short",
        transform=shardine.RandomResizedCrop(16), follow=FOLLOW)  # fmt: skip
    with pytest.raises(shardine.ShardineError, match=message) as caught:
        for _ in loader:
            pass
    text = str(caught.value)
    assert f'"{field}"' in text and "key8" in text and ".tfrecord" in text


def test_what_cannot_be_done_is_refused_at_once(dataset: shardine.Dataset) -> None:
    cut = shardine.RandomResizedCrop(16)
    for follow, message in (
        ({"mask": "nearest", "bbox": "boxes"}, "follow names it"),  # but not `deep`
        ({"mask": "smooth"}, "follow"),
        ({"image": "nearest"}, "is the image itself"),
        ({"category": "with:bbox"}, "names no boxes"),
        ({"bbox": "boxes with:bbox"}, "is dropped with no boxes"),
        ({"nothing": "nearest"}, "nothing"),
        ({"label": "nearest"}, "label"),
        ({"category": "boxes"}, "boxes are n x 4"),
    ):
        with pytest.raises(ValueError, match=message):
            shardine.Loader(
                dataset, batch_size=3, transform=cut, fields=["deep", "mask"], follow=follow)
    for more, message in (
        ({"apply_exif": True}, "apply_exif"),
        ({"mix": shardine.CutMix()}, "mix"),
        ({"min_visible": 2}, "min_visible"),
        ({"mask_fill": float("inf")}, "mask_fill"),
        ({"mask_fill": 256}, "mask_fill"),
        ({"mask_fill": 0.5}, "mask_fill"),
    ):
        with pytest.raises(ValueError, match=message):
            shardine.Loader(
                dataset, batch_size=3, transform=cut, follow={"mask": "nearest"}, **more)
    with pytest.raises((TypeError, ValueError), match="transform"):
        shardine.Loader(dataset, batch_size=3, raw=True, follow={"mask": "nearest"})
    with pytest.raises(TypeError, match="mapping"):
        shardine.Loader(dataset, batch_size=3, transform=cut, follow=["mask"])  # type: ignore[arg-type]


def test_fields_may_stay(dataset: shardine.Dataset) -> None:
    loader = shardine.Loader(
        dataset, batch_size=2, transform=shardine.Resize(8), fields=["coded"],
        follow={"mask": "nearest", "coded": "stay"}, order="sequential")  # fmt: skip
    batch = next(iter(loader))
    assert bytes(batch.fields["coded"][0]) == fields_of(0)["coded"]
    assert batch.fields["mask"].shape == (2, 8, 8, 3)


def test_samples_may_be_without_boxes(tmp_path: Any) -> None:
    samples = [fields_of(i) for i in range(1, 9)]
    for number in (0, 3):
        for name in ("bbox", "category", "keypoints"):
            del samples[number][name]
    made = write(tmp_path / "data", samples)
    options: dict[str, Any] = {
        "transform": shardine.Resize((70, 70)), "follow": FOLLOW, "seed": 2,
        "batch_size": 4, "order": "sequential", "ragged": "list"}  # fmt: skip
    rows = [boxes for batch in shardine.Loader(made, **options) for boxes in batch.fields["bbox"]]
    assert [boxes is None for boxes in rows] == [i in (0, 3) for i in range(8)]
    padded = list(shardine.Loader(made, **options, pad_to=9))
    boxes = numpy.concatenate([batch.fields["bbox"] for batch in padded])
    assert boxes.shape == (8, 9, 4)
    assert (boxes[[0, 3]] == -1).all()
    with pytest.raises(ValueError, match='no "bbox"'):
        shardine.Loader(made, **{**options, "ragged": None})


def test_synthetic_batches_have_the_fields_too(dataset: shardine.Dataset) -> None:
    loader = shardine.Loader(
        dataset, transform=shardine.Resize(8), follow=FOLLOW, synthetic=True, seed=1, **SHORT)
    for batch in loader:
        assert batch.fields["mask"].shape == (len(batch), 8, 8, 3)
        assert batch.fields["bbox"].values.size == 0
