"""Fields that differ in shape from sample to sample, or that some are without."""

import gc
import pathlib
from typing import Any

import document_samples as documents
import numpy
import pytest

import shardine

SHORT: dict[str, Any] = {"batch_size": 7, "last_batch": "short", "seed": 3}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> shardine.Dataset:
    return documents.write_arrays(
        tmp_path_factory.mktemp("ragged") / "pages.tar",
        [documents.fields_of(i) for i in range(documents.SAMPLES)],
    )


@pytest.mark.parametrize("threads", [1, 7])
@pytest.mark.parametrize("order", ["sequential", "shuffle"])
def test_lists_hold_each_sample_s_own_array(
    dataset: shardine.Dataset, order: Any, threads: int
) -> None:
    loader = shardine.Loader(
        dataset, fields=["image", "label"], ragged="list", order=order,
        threads=threads, **SHORT,
    )
    orders = []
    for _ in range(2):
        seen = []
        for batch in loader:
            documents.check_list(batch, "image")
            documents.check_list(batch, "label")
            seen += documents.numbers(batch)
        assert sorted(seen) == list(range(documents.SAMPLES))
        orders.append(seen)
    assert (orders[0] == orders[1]) == (order == "sequential")


def test_offsets_say_where_each_sample_s_values_are(
    dataset: shardine.Dataset,
) -> None:
    loader = shardine.Loader(
        dataset, fields=["label", "image"], ragged="offsets", **SHORT)
    sizes = []
    for batch in loader:
        sizes.append(len(batch))
        for name, axes in (("label", 3), ("image", 3)):
            field = batch.fields[name]
            assert isinstance(field, shardine.Ragged)
            expected = [documents.fields_of(i).get(name) for i in documents.numbers(batch)]
            there = [e for e in expected if e is not None]
            flat = numpy.concatenate([e.ravel() for e in there])
            assert field.values.dtype == flat.dtype
            assert field.values.ctypes.data % 64 == 0
            numpy.testing.assert_array_equal(field.values, flat)
            lengths = [0 if e is None else e.size for e in expected]
            assert field.offsets.tolist() == [0, *numpy.cumsum(lengths).tolist()]
            assert field.offsets.dtype == numpy.int64
            assert field.present.tolist() == [e is not None for e in expected]
            assert field.shapes.shape == (len(batch), axes)
            for number, one in enumerate(expected):
                got = field.sample(number)
                if one is None:
                    assert got is None
                    assert field.shapes[number].tolist() == [0] * axes
                else:
                    numpy.testing.assert_array_equal(got, one)
            assert [s is None for s in field.samples()] == [e is None for e in expected]
    assert sizes == [7, 7, 6]


def test_a_batch_of_samples_without_the_field_has_no_values(
    dataset: shardine.Dataset,
) -> None:
    loader = shardine.Loader(
        dataset, batch_size=2, order="sequential", fields=["label"],
        ragged="offsets")
    _, without = (batch.fields["label"] for _, batch in zip(range(2), loader))
    assert without.values.shape == (0,)
    assert without.values.dtype == numpy.float64
    assert without.offsets.tolist() == [0, 0, 0]
    assert without.shapes.tolist() == [[0, 0, 0]] * 2
    assert without.present.tolist() == [False, False]


def test_raw_images_may_be_arrays(dataset: shardine.Dataset) -> None:
    for batch in shardine.Loader(dataset, raw=True, ragged="list", **SHORT):
        assert list(batch.fields) == ["image"]
        documents.check_list(batch, "image")
        assert all((a == b).all() for a, b in zip(batch.images, batch.fields["image"]))


def test_labels_come_beside_pixels_of_arrays(dataset: shardine.Dataset) -> None:
    loader = shardine.Loader(
        dataset, transform=shardine.RandomResizedCrop(16), fields=["label"],
        ragged="list", **SHORT)
    for batch in loader:
        assert batch.images.shape == (len(batch), 3, 16, 16)
        documents.check_list(batch, "label")


def test_a_state_resumes_in_the_middle_of_an_epoch(
    dataset: shardine.Dataset,
) -> None:
    def content(batch: shardine.Batch) -> list[bytes]:
        return [b"" if a is None else a.tobytes() for a in batch.fields["label"]]

    options: dict[str, Any] = {"fields": ["label"], "ragged": "list", **SHORT}
    whole = shardine.Loader(dataset, **options)
    batches = iter(whole)
    next(batches)
    state = whole.state_dict()
    rest = [content(batch) for batch in batches]
    resumed = shardine.Loader(dataset, **options)
    resumed.load_state_dict(state)
    assert [content(batch) for batch in resumed] == rest


def test_arrays_stay_valid_after_their_batch(dataset: shardine.Dataset) -> None:
    options: dict[str, Any] = {"fields": ["label"], **SHORT}
    with shardine.Loader(dataset, ragged="list", **options) as loader:
        kept = [
            (documents.numbers(b), b.fields["label"]) for _ in range(3) for b in loader
        ]
    del loader
    gc.collect()
    for names, arrays in kept:
        for number, array in zip(names, arrays):
            if array is not None:
                assert (array == documents.fields_of(number)["label"]).all()


def test_synthetic_batches_have_ragged_fields_and_a_trace(
    dataset: shardine.Dataset, tmp_path: pathlib.Path
) -> None:
    loader = shardine.Loader(
        dataset, transform=shardine.Resize(8), fields=["label", "image"],
        ragged="offsets", synthetic=True, trace_events=1000, **SHORT)
    for _ in range(2):
        for batch in loader:
            label = batch.fields["label"]
            assert label.present.all()
            assert label.shapes.tolist() == [[5, 5, 2]] * len(batch)
            assert label.offsets[-1] == len(label.values) == 50 * len(batch)
            assert not label.values.any()
    trace = tmp_path / "trace.json"
    loader.write_trace(trace)
    assert b'"decode"' in trace.read_bytes()


def test_axes_may_differ_and_sides_be_zero(tmp_path: pathlib.Path) -> None:
    arrays = [
        numpy.arange(6, dtype="<i2").reshape(2, 3),
        numpy.arange(4, dtype="<i2"),
        numpy.zeros((0, 3), "<i2"),
        numpy.array(7, "<i2"),
    ]
    dataset = documents.write_arrays(
        tmp_path / "axes.tar", [{"x": array} for array in arrays])
    options: dict[str, Any] = {
        "batch_size": 4, "order": "sequential", "fields": ["x"]}
    (batch,) = shardine.Loader(dataset, ragged="list", **options)
    for array, expected in zip(batch.fields["x"], arrays):
        numpy.testing.assert_array_equal(array, expected, strict=True)
    (batch,) = shardine.Loader(dataset, ragged="offsets", **options)
    field = batch.fields["x"]
    assert field.shapes.tolist() == [[2, 3], [4, 1], [0, 3], [1, 1]]
    assert field.present.all()
    assert field.offsets.tolist() == [0, 6, 10, 10, 11]
    for number, expected in enumerate(arrays):
        numpy.testing.assert_array_equal(field.sample(number).ravel(), expected.ravel())


def other_type(path: pathlib.Path) -> shardine.Dataset:
    samples = [documents.fields_of(i) for i in range(8)]
    samples[5]["label"] = samples[5]["label"].astype("<f4")
    return documents.write_arrays(path / "types.tar", samples)


def test_an_array_of_another_type_is_a_bad_sample(tmp_path: pathlib.Path) -> None:
    dataset = other_type(tmp_path)
    options: dict[str, Any] = {
        "batch_size": 8, "fields": ["label"], "ragged": "list"}
    message = '"label" is <f4 x 5 x 6 x 2; a batch holds one type, which is <f8'
    with pytest.raises(shardine.UnsupportedError, match=message) as failure:
        list(shardine.Loader(dataset, **options))
    assert failure.value.record == 5
    (gray,) = shardine.Loader(dataset, on_bad="gray", **options)
    row = documents.numbers(gray).index(5)
    assert gray.bad.tolist() == [i == row for i in range(8)]
    assert gray.fields["label"][row] is None
    (dropped,) = shardine.Loader(
        dataset, on_bad="drop", **{**options, "ragged": "offsets"})
    assert sorted(documents.numbers(dropped)) == [0, 1, 2, 3, 4, 6, 7]
    field = dropped.fields["label"]
    assert len(field.offsets) == len(field.present) + 1 == len(dropped) + 1
    for number, sample in zip(documents.numbers(dropped), field.samples()):
        expected = documents.fields_of(number).get("label")
        assert (sample is None) == (expected is None)
        assert expected is None or (sample == expected).all()


def test_bytes_that_some_samples_lack_are_none(tmp_path: pathlib.Path) -> None:
    dataset = documents.write_tar(
        tmp_path / "texts.tar",
        [{"cls": b"1"} | ({"note.bin": b"%d" % i} if i % 2 else {}) for i in range(6)],
    )
    ragged: Any
    for ragged in ("list", "offsets"):
        (batch,) = shardine.Loader(
            dataset, batch_size=6, fields=["note.bin"], ragged=ragged)
        for number, note in zip(documents.numbers(batch), batch.fields["note.bin"]):
            assert (note and bytes(note)) == (b"%d" % number if number % 2 else None)


def test_what_is_refused_says_what_ragged_would_do(
    dataset: shardine.Dataset,
) -> None:
    with pytest.raises(shardine.UnsupportedError, match="shapes may differ if it is ragged"):
        list(shardine.Loader(dataset, batch_size=20, fields=["image"]))
    with pytest.raises(shardine.UnsupportedError, match="need not have if that is ragged"):
        list(shardine.Loader(dataset, batch_size=4, order="sequential", fields=["label"]))
    with pytest.raises(ValueError, match='no sample has "lable" but image, label in the'):
        shardine.Loader(dataset, batch_size=4, fields=["lable"], ragged="list")
    with pytest.raises(ValueError, match='ragged: "lists" is none of list, offsets'):
        wrong: Any = "lists"
        shardine.Loader(dataset, batch_size=4, fields=["label"], ragged=wrong)


def test_a_field_that_the_first_sample_lacks_is_found(tmp_path: pathlib.Path) -> None:
    samples = [documents.fields_of(i) for i in (2, 3, 4)]
    dataset = documents.write_arrays(tmp_path / "late.tar", samples)
    with pytest.raises(ValueError, match="may be without a field that is ragged"):
        shardine.Loader(dataset, batch_size=3, fields=["label"])
    (batch,) = shardine.Loader(
        dataset, batch_size=3, order="sequential", fields=["label"], ragged="list")
    first, second, third = batch.fields["label"]
    assert first is None and second is None
    numpy.testing.assert_array_equal(third, samples[2]["label"])
