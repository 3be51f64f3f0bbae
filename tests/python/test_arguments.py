"""Arguments of wrong types and names: plain words from every function."""

import inspect
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import shardine
from shardine.loader import OPTIONS

CROP = shardine.RandomResizedCrop(8)


class Odd:
    """Nothing that any argument can be."""

    def __repr__(self) -> str:
        return "<odd>"


def words_of(caught: pytest.ExceptionInfo[Exception]) -> str:
    """The message, if it is in the words of the public API."""
    text = str(caught.value)
    for foreign in ("incompatible", "overload", "_core", "nanobind", "std::"):
        assert foreign not in text, text
    assert "\n" not in text
    return text


@pytest.mark.parametrize("option", [o for o in OPTIONS if o != "dataset"])
@pytest.mark.parametrize("value", [Odd(), b"8", (1, "2"), {}])
def test_options_of_wrong_types_are_type_errors_by_name(
    packed: pathlib.Path, option: str, value: object
) -> None:
    given: dict[str, Any] = {"batch_size": 5, "transform": CROP, option: value}
    if option in ("rank", "world"):
        given = {"rank": 0, "world": 1, **given}
    if option in ("fields", "follow", "text") and value == {}:
        return  # no names
    if option == "keep" and value == b"8":
        return  # a path
    with pytest.raises(TypeError) as caught:
        shardine.Loader(packed, **given)
    assert option in words_of(caught)


@pytest.mark.parametrize(
    "option, value",
    [
        ("mean", 0.5),
        ("mean", (1, 2)),
        ("std", "123"),
        ("raw", "no"),
        ("apply_exif", 1),
        ("gray", 1),
        ("fields", "points"),
        ("order", None),
        ("label_dtype", int),
        ("batch_size", 5.0),
    ],
)
def test_almost_right_is_wrong(
    packed: pathlib.Path, option: str, value: object
) -> None:
    with pytest.raises(TypeError) as caught:
        shardine.Loader(
            packed, **{"batch_size": 5, "transform": CROP, option: value}
        )
    assert words_of(caught).startswith(f"{option}: ")


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda d: shardine.Loader(d, batchsize=5),
            "Loader: unknown option batchsize; did you mean batch_size?",
        ),
        (
            lambda d: shardine.Loader(d, batch_size=5, num_workers=2),
            "Loader: unknown option num_workers; it is threads here",
        ),
        (
            lambda d: shardine.TrainLoader(d, batch_size=5, split="train"),
            "TrainLoader: unknown option split; it is "
            "shardine.Dataset(path, split=...), in the place of the path, here",
        ),
        (
            lambda d: shardine.Loader(d, batch_size=5, shuffle=True),
            "Loader: unknown option shuffle; it is "
            'order="shuffle" or order="sequential" here',
        ),
        (
            lambda d: shardine.Loader(d, batch_size=5, drop_last=True),
            "Loader: unknown option drop_last; it is "
            'last_batch="drop" or last_batch="short" here',
        ),
        (
            lambda d: shardine.Loader(d, transform=CROP),
            "Loader: missing a required argument: 'batch_size'",
        ),
        (
            lambda d: shardine.Loader(d, 5),
            "Loader: too many positional arguments",
        ),
        (
            lambda d: shardine.Dataset(d, spilt="train"),
            "Dataset: unknown option spilt; did you mean split?",
        ),
        (
            lambda d: shardine.Dataset(),
            "Dataset: missing a required argument: 'path'",
        ),
        (
            lambda d: shardine.RandomResizedCrop(8, scales=(0, 1)),
            "RandomResizedCrop: unknown option scales; did you mean scale?",
        ),
        (
            lambda d: shardine.CenterCrop(),
            "CenterCrop: missing a required argument: 'size'",
        ),
        (
            lambda d: shardine.Phase(0, first=2),
            "Phase: unknown option first; did you mean first_epoch?",
        ),
    ],
)
def test_calls_that_do_not_fit_say_what_was_meant(
    packed: pathlib.Path, call: Callable[..., object], words: str
) -> None:
    with pytest.raises(TypeError) as caught:
        call(packed)
    # From Python 3.12 on, inspect says which kind of argument it is.
    assert words_of(caught).replace("required keyword-only", "required") == words


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: shardine.RandomResizedCrop("224"), "size: '224'"),
        (lambda: shardine.RandomResizedCrop(8, scale=0.5), "scale: 0.5"),
        (lambda: shardine.RandomResizedCrop(8, ratio=("1", 2)), "ratio: '1'"),
        (lambda: shardine.RandomResizedCrop(8, flip="x"), "flip: 'x'"),
        (lambda: shardine.CenterCrop((8, 8, 8)), "size: (8, 8, 8)"),
        (lambda: shardine.CenterCrop(8, resize=None), "resize: None"),
        (lambda: shardine.Resize(8.5), "size: 8.5"),
        (lambda: shardine.FixedCrop((0, 0, 8), 8), "box: (0, 0, 8)"),
        (lambda: shardine.RectVal(Odd()), "size: <odd>"),
    ],
)
def test_transforms_say_what_is_no_number(
    make: Callable[[], object], words: str
) -> None:
    with pytest.raises(TypeError) as caught:
        make()
    assert words_of(caught).startswith(words)


def test_transforms_out_of_range_are_value_errors(packed: pathlib.Path) -> None:
    for make in (
        lambda: shardine.RandomResizedCrop(-1),
        lambda: shardine.Resize(2**32),
        lambda: shardine.FixedCrop((-1, 0, 8, 8), 8),
        lambda: shardine.Loader(
            packed, batch_size=2, transform=shardine.Resize(0)
        ),
    ):
        with pytest.raises(ValueError) as caught:
            make()
        words_of(caught)


def test_transforms_can_be_pickled_and_compared() -> None:
    crop = shardine.RandomResizedCrop((8, 9), flip=0)
    assert pickle.loads(pickle.dumps(crop)) == crop
    assert crop != shardine.RandomResizedCrop((8, 9))


@pytest.mark.parametrize("value", [3, None, Odd(), {"a": 1}, {"out"}])
def test_what_is_no_path_is_no_dataset(value: object) -> None:
    for make in (
        lambda: shardine.Dataset(value),
        lambda: shardine.Dataset([value]),
        lambda: shardine.Loader(value, batch_size=1, raw=True),
    ):
        with pytest.raises(TypeError) as caught:
            make()
        assert words_of(caught).startswith("path: ")


def test_arguments_of_a_dataset_are_text(packed: pathlib.Path) -> None:
    for name in ("split", "variant", "labels"):
        with pytest.raises(TypeError) as caught:
            shardine.Dataset(packed, **{name: Odd()})
        assert words_of(caught) == f"{name}: <odd> is not a " + (
            "path" if name == "labels" else "string"
        )
    with pytest.raises(ValueError, match="null byte"):
        shardine.Dataset(f"{packed}\0x")
    with pytest.raises(ValueError, match="UTF-8"):
        shardine.Dataset(packed, split="caf\udce9")


def test_methods_say_what_they_take(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    loader = shardine.Loader(packed, batch_size=5, transform=CROP)
    for call in (
        lambda: loader.set_epoch("1"),
        lambda: loader.write_trace(3),
        lambda: loader.dataset[None],
        lambda: loader.dataset.key("x"),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        words_of(caught)
    for call in (
        lambda: loader.set_epoch(-1),
        lambda: loader.write_trace(tmp_path / "trace.json"),
    ):
        with pytest.raises(ValueError) as refused:
            call()
        words_of(refused)


def test_ranks_of_the_environment_are_numbers(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    for nonsense in ("one", "-1", "", "1.5"):
        monkeypatch.setenv("RANK", nonsense)
        with pytest.raises(ValueError, match="RANK in the environment"):
            shardine.Loader(packed, batch_size=2, transform=CROP)


def test_mean_and_std_are_for_pixels_up_to_255(packed: pathlib.Path) -> None:
    def load(**options: Any) -> shardine.Loader:
        return shardine.Loader(packed, batch_size=2, transform=CROP, **options)

    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    with pytest.raises(shardine.InvalidArgumentError) as caught:
        load(dtype="float32", mean=mean, std=std)
    assert "mean (123.675, 116.28, 103.53)" in words_of(caught)
    assert "std (58.395, 57.12, 57.375)" in words_of(caught)
    # The advice works.
    images = next(
        iter(
            load(
                dtype="float32",
                mean=(123.675, 116.28, 103.53),
                std=(58.395, 57.12, 57.375),
            )
        )
    ).images
    assert -3 < images.min() < images.max() < 3
    with pytest.raises(ValueError, match="bytes stay as they are"):
        load(mean=(124, 116, 104))
    assert load(dtype="float16", std=(255, 255, 255))
    with pytest.raises(ValueError, match="without a transform"):
        shardine.Loader(packed, batch_size=2, raw=True, mean=(1, 2, 3))


def test_signatures_are_for_reading() -> None:
    parameters = inspect.signature(shardine.Loader).parameters
    assert list(parameters)[:3] == ["dataset", "batch_size", "order"]
    assert parameters["batch_size"].default is inspect.Parameter.empty
    assert parameters["last_batch"].default == "drop"
    stub = pathlib.Path(shardine.__file__).parent / "_core.pyi"
    assert "def begin_iteration(self)" in stub.read_text()
