"""From the arguments of a Loader to the options of the native one."""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from .arguments import count, counts, flag, real, reals, text, texts, within
from .dataset import Dataset, Path
from .loader_options import ArrayLayout, Layout, PixelType, refuse_pixel_options
from .mix import Mix, whole_of
from .mixing import Mixing, mix_choices
from .normalization import Normalization, chosen
from .samplings import Sampling
from .selection import Selection
from .torch_types import tensors
from .transforms import Transform, Transforms, as_transform
from .verb_options import Filter


def checked_callback(callback: Any) -> Any:
    if callback is not None and not callable(callback):
        raise TypeError(f"callback: {callback!r} cannot be called")
    return callback


def field_names(fields: Sequence[str], raw: bool, image: str) -> List[str]:
    """Images as they are stored are a field, too."""
    names = texts("fields", fields)
    if raw and names and image not in names:
        names.append(image)
    return names


def among(names: Sequence[str], text: Any) -> List[str]:
    """Fields that are text; ValueError: a batch has no such field."""
    chosen_texts = texts("text", text)
    for name in chosen_texts:
        if name not in names:
            raise ValueError(f"text: {name!r} is none of fields")
    return chosen_texts


def shown_as(arrays: Any, pinned: Any) -> Any:
    arrays, pinned = text("arrays", arrays), flag("pin_memory", pinned)
    if arrays not in ("numpy", "torch"):
        raise ValueError(f'arrays: "{arrays}" is none of numpy, torch')
    if pinned and arrays != "torch":
        raise ValueError('pin_memory: is of arrays="torch"')
    return tensors(pinned) if arrays == "torch" else None


def views_of(
    transform: Optional[Transforms], views: Optional[Sequence[Transforms]]
) -> List[Transform]:
    """The transform of each view; none without pixels."""
    if views is None:
        made = as_transform(transform)
        return [] if made is None else [made]
    if transform is not None:
        raise TypeError("views: stand in the place of transform")
    if isinstance(views, (str, Mapping)) or not isinstance(views, Iterable):
        raise TypeError(f"views: {views!r} is no list of transforms")
    made_views = [as_transform(view) for view in views]
    if not made_views or None in made_views:
        raise ValueError("views: each is a transform, and there is one at least")
    return [view for view in made_views if view is not None]


def check_wanted(
    made: Sequence[Transform], raw: bool, names: Sequence[str]
) -> None:
    """TypeError where the form of a batch is not clear."""
    neither = not made and not raw
    if (made and raw) or (neither and not names):
        raise TypeError(
            "give either transform=, such as shardine.RandomResizedCrop("
            "224), or raw=True for the bytes of the images; fields=[...] "
            "can do without both"
        )


def samples_of(
    dataset: Union[Dataset, Selection, Mix, Path, Iterable[Path]]
) -> Union[Dataset, Selection, Mix]:
    if not isinstance(dataset, (Dataset, Selection, Mix)):
        dataset = Dataset(dataset)
    for part in dataset.parts if isinstance(dataset, Mix) else [dataset]:
        if whole_of(part).gives_pairs:
            raise TypeError(
                f"dataset: {part!r} makes pairs of its items, which a Loader "
                "does not call for: give the Loader a transform= of shardine's, "
                "and a Dataset without decode, transform and target_transform"
            )
    return dataset


def following(follow: Optional[Mapping[str, str]]) -> List[str]:
    """The names of fields that follow the image, or stay."""
    if follow is None:
        return []
    if not isinstance(follow, Mapping):
        raise TypeError(f"follow: {follow!r} is no mapping of fields")
    return texts("follow", list(follow))


def set_follow(
    options: _core.LoaderOptions,
    follow: Optional[Mapping[str, str]],
    mask_fill: Any,
    min_visible: Any,
    pad_to: Any,
) -> None:
    for name, how in (follow or {}).items():
        kind, _, boxes = text("follow", how).partition("with:")
        # "with:bbox" without a kind stands for rows, named "with".
        options.add_follow(name, kind.strip() or ("with" if boxes else ""), boxes)
    options.mask_fill = real("mask_fill", mask_fill)
    options.min_visible = real("min_visible", min_visible)
    set_counts(options, 32, pad_to=pad_to)


def set_buckets(options: _core.LoaderOptions, buckets: Any) -> None:
    """Shapes of batches, each as (height, width)."""
    if buckets is None:
        return
    if isinstance(buckets, (str, bytes, Mapping)) or not isinstance(buckets, Iterable):
        raise TypeError(f"buckets: {buckets!r} is no list of (height, width)")
    shapes = [counts("buckets", shape, 2) for shape in buckets]
    if not shapes:
        raise ValueError("buckets: there are none")
    options.set_buckets(shapes)


def set_samples(
    options: _core.LoaderOptions,
    samples: Union[Dataset, Selection, Mix],
    sampling: Optional[Sampling],
) -> _core.Dataset:
    """The dataset and the samples of it in an epoch."""
    if isinstance(samples, Mix):
        if sampling is not None:
            raise TypeError(f"sampling: {sampling!r}, and a Mix is one of its own")
        options.sampling = samples._native()
        positions: Optional[Sequence[int]] = samples._positions()
    else:
        whole = whole_of(samples)
        if sampling is not None:
            options.sampling = sampling._native(whole)
        positions = samples.positions if isinstance(samples, Selection) else None
    if positions is not None:
        options.set_positions(list(positions))
    core = samples if isinstance(samples, Mix) else whole_of(samples)
    return core._core()


def set_views(
    options: _core.LoaderOptions, views: Sequence[Transform], are_several: bool
) -> None:
    options.has_views = are_several
    for number, view in enumerate(views):
        cut, changes = view._parts()
        operations = [each._native() for each in changes]
        options.order = cut._order or options.order
        if number == 0:
            options.transform = cut._native()
            options.set_operations(operations)
        else:
            options.add_view(cut._native(), operations)


def set_mix(
    options: _core.LoaderOptions,
    mix: Optional[Mixing],
    per: Any,
    apply: Any,
    one_hot: Optional[int],
    smoothing: Any,
) -> None:
    if mix is not None:
        options.mix = mix_choices(mix)
    options.mix_per = text("mix_per", per)
    options.mix_apply = flag("mix_apply", apply)
    if mix is None and (options.mix_per, options.mix_apply) != ("batch", True):
        raise ValueError("mix_per, mix_apply: are of mix=, which is not given")
    if one_hot is not None:
        options.one_hot = within("one_hot", one_hot, 1, 2**32 - 1)
    options.label_smoothing = real("label_smoothing", smoothing)


def set_pixels(
    options: _core.LoaderOptions,
    made: Sequence[Transform],
    layout: Layout,
    dtype: PixelType,
    filter: Filter,
    apply_exif: Any,
    gray: Any,
    image_layout: ArrayLayout,
) -> None:
    if not made:
        refuse_pixel_options(
            dtype=(dtype, "uint8"),
            layout=(layout, "channels_last"),
            filter=(filter, "bilinear"),
            apply_exif=(apply_exif, False),
            gray=(gray, False),
            image_layout=(image_layout, "hwc"),
        )
    set_words(options, layout=layout, dtype=dtype, filter=filter,
              image_layout=image_layout)  # fmt: skip
    options.apply_exif = flag("apply_exif", apply_exif)
    options.gray = flag("gray", gray)


def set_normalization(
    options: _core.LoaderOptions,
    dtype: PixelType,
    mean: Tuple[float, float, float],
    std: Tuple[float, float, float],
    normalize: Optional[Normalization],
) -> None:
    mean, std = chosen(normalize, mean, std)
    if normalize is not None and dtype == "uint8":
        raise ValueError(
            'normalize: bytes stay as they are; give dtype="float32" or "float16"'
        )
    options.mean = list(reals("mean", mean, 3))
    options.std = list(reals("std", std, 3))


_MAY_BE_NONE = ("ragged", "label_dtype")


def set_words(options: _core.LoaderOptions, **words: Any) -> None:
    """Each is one of the words of its option; some have the default None."""
    for name, word in words.items():
        if word is not None or name not in _MAY_BE_NONE:
            setattr(options, name, text(name, word))


def set_counts(options: _core.LoaderOptions, bits: int, **counts: Any) -> None:
    """Whole numbers of at most so many bits."""
    for name, value in counts.items():
        setattr(options, name, count(name, value, bits))


def mark_streamed(samples: Union[Dataset, Selection, Mix]) -> None:
    """From now on the samples' datasets take no other transform."""
    for part in samples.parts if isinstance(samples, Mix) else [samples]:
        whole_of(part)._streamed = True
