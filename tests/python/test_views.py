"""Several views of each sample."""

import pathlib
from typing import Any

import numpy
import pytest

import shardine

GLOBAL = shardine.RandomResizedCrop(48, scale=(0.4, 1.0))
LOCAL: list[Any] = [shardine.RandomResizedCrop((20, 24), scale=(0.05, 0.4)),
         shardine.RandomGrayscale(0.5)]


def loader(packed: pathlib.Path, **options: Any) -> shardine.Loader:
    usual: dict[str, Any] = {"batch_size": 4, "seed": 3, "last_batch": "short"}
    return shardine.Loader(packed, **(usual | options))


def test_a_batch_has_each_view_at_its_size(packed: pathlib.Path) -> None:
    for batch in loader(packed, views=[GLOBAL, GLOBAL, *[LOCAL] * 6]):
        n = len(batch)
        assert [view.shape for view in batch.views] == (
            [(n, 3, 48, 48)] * 2 + [(n, 3, 20, 24)] * 6)
        assert [boxes.shape for boxes in batch.view_boxes] == [(n, 5)] * 8
        assert numpy.array_equal(batch.images, batch.views[0])
        assert numpy.array_equal(batch.boxes, batch.view_boxes[0])
        # No two crops of a sample are alike.
        assert len({tuple(boxes[0]) for boxes in batch.view_boxes}) == 8
        assert "48 x 48 uint8 and" in repr(batch)


def test_views_unpack_in_the_place_of_images(packed: pathlib.Path) -> None:
    two = loader(packed, views=[GLOBAL, LOCAL])
    for (first, second), labels in two:
        assert len(first) == len(second) == len(labels)
    for views, labels in two.as_tuples():
        assert len(views) == 2 and len(views[0]) == len(labels)
    for (only,), _ in loader(packed, views=[GLOBAL]):
        assert only.shape[1:] == (3, 48, 48)
    for images, _ in loader(packed, transform=GLOBAL):
        assert images.shape[1:] == (3, 48, 48)


def test_the_first_view_is_that_of_a_transform(packed: pathlib.Path) -> None:
    alone = loader(packed, transform=GLOBAL)
    for batch, views in zip(alone, loader(packed, views=[GLOBAL, LOCAL]), strict=True):
        assert numpy.array_equal(batch.images, views.views[0])
        assert len(batch.views) == 1


def test_views_go_on_exactly(packed: pathlib.Path) -> None:
    options: dict[str, Any] = {"views": [GLOBAL, LOCAL, LOCAL], "dtype": "float32",
                               "normalize": "imagenet", "layout": "nchw"}
    whole = {int(id): [view[i].copy() for view in batch.views]
             for batch in loader(packed, **options) for i, id in enumerate(batch.ids)}
    first = loader(packed, **options)
    seen = [int(id) for _, batch in zip(range(2), first) for id in batch.ids]
    rest = loader(packed, **options, threads=1)
    rest.load_state_dict(first.state_dict())
    for batch in rest:
        for i, id in enumerate(batch.ids):
            seen.append(int(id))
            for view, wanted in zip(batch.views, whole[int(id)], strict=True):
                assert numpy.array_equal(view[i], wanted)
    assert sorted(seen) == sorted(whole)


def test_presets_and_raw_loaders(packed: pathlib.Path) -> None:
    batch = next(iter(shardine.TrainLoader(packed, batch_size=2, views=[GLOBAL, LOCAL])))
    assert len(batch.views) == 2
    with pytest.raises(ValueError, match="one at least"):
        shardine.EvalLoader(packed, batch_size=2, views=[])
    raw = next(iter(loader(packed, raw=True)))
    assert raw.views == () and raw.view_boxes[0].shape == (0, 5)


@pytest.mark.parametrize(("options", "error", "says"), [
    ({"views": [], }, ValueError, "one at least"),
    ({"views": [GLOBAL, None]}, ValueError, "each is a transform"),
    ({"views": [GLOBAL], "transform": GLOBAL}, TypeError, "in the place of transform"),
    ({"views": [GLOBAL], "raw": True}, TypeError, "either transform"),
    ({"views": GLOBAL}, TypeError, "no list"),
    ({"views": [LOCAL[1]]}, TypeError, "transform"),
    ({"views": [GLOBAL] * 257}, ValueError, "257 views"),
    ({"views": [GLOBAL, shardine.Resize(0)]}, ValueError, "view 1: "),
])
def test_views_that_are_none_are_refused(
    packed: pathlib.Path, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        loader(packed, **options)
