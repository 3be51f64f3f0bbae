"""MXNet's ImageRecordIter, by its arguments."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Set
from typing import Tuple, Union

from . import _core
from .arguments import count, explained, text, within
from .dataset import Dataset, Path
from .dataset_verbs import info
from .errors import ShardineError
from .image_record_transform import (
    DEFAULTS,
    Given,
    ImageRecordAugmentation,
    check_normalization,
    rounded_mean,
    shape_of,
    switch,
    transform_of,
)
from .loader import Loader
from .loader_options import Arrays, EntryPointTrust, OnBadSample, OnUnsupported, Order
from .mean_images import mean_of, read_mean_image, write_mean_image

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

_DTYPES = {None: "float32", "float32": "float32", "float16": "float16",
           "uint8": "uint8", "int8": "uint8"}  # fmt: skip
_UINT32 = (1 << 32) - 1
_MAGIC = (0xCED7230A).to_bytes(4, "little")
_MOST_OFFSETS = 1024
_FEW_OFFSETS = 16


class ImageRecordBatch:
    """A batch of an ImageRecordIter: MXNet's DataBatch, over NumPy arrays.

    >>> import shardine
    >>> batches = shardine.ImageRecordIter("foreign.rec", (3, 32, 32), 4)
    >>> batch = batches.next()
    >>> batch.data[0].shape, batch.label[0].shape, batch.pad, len(batch.index)
    ((4, 3, 32, 32), (4,), 0, 4)
    >>> images, labels = batch
    >>> batch.batch.boxes.shape  # all that a Loader's batch has
    (4, 5)
    """

    def __init__(self, batch: _core.Batch, images: Any) -> None:
        self.data = [images]
        self.label = [batch.labels]
        self.pad: int = batch.padding
        self.index = batch.ids
        self.batch = batch

    def __iter__(self) -> Iterator[Any]:
        return iter((self.data[0], self.label[0]))

    def __len__(self) -> int:
        return len(self.batch)


class ImageRecordIter(Loader):
    """mxnet.io.ImageRecordIter's call, with the module's name changed. Arguments
    have its names and defaults, images its pixels: given the same drawn parameters
    those of MXNet 1.9.1, bit for bit. Batches are ImageRecordBatch.

    >>> import shardine
    >>> train = shardine.ImageRecordIter(
    ...     path_imgrec="foreign.rec", data_shape=(3, 28, 28), batch_size=4,
    ...     shuffle=True, rand_crop=True, rand_mirror=True, max_rotate_angle=10,
    ...     resize=32, mean_r=123.68, mean_g=116.28, mean_b=103.53)
    >>> for epoch in range(2):
    ...     train.reset()
    ...     for batch in train:
    ...         images, labels = batch.data[0], batch.label[0]
    >>> images.shape, images.dtype, labels.dtype
    ((4, 3, 28, 28), dtype('float32'), dtype('float32'))
    >>> train.batch_size, train.rank, train.world, len(train.dataset)
    (4, 0, 1, 24)
    >>> train.provide_data, train.provide_label
    ([('data', (4, 3, 28, 28))], [('softmax_label', (4,))])

    It is a Loader: len(), state_dict(), set_epoch(), stats() and close() are there,
    and each `for` is an epoch, after a reset() or without one.

    path_imgrec: a .rec file, several as a list or with ";" between them, patterns with
      braces, a folder of them, or a dataset's folder; or a Dataset. All .rec files of a
      split of a dataset open by its indexes, one with its .idx beside it by that; others
      are scanned once, and the scan is kept in the user's cache. split: the split of a
      dataset's folder. path_imgidx: is compared with it, and not needed. path_imglist:
      a list whose labels take the place of those packed: as Dataset(labels=), but each
      image has to have a row.
      label_width: how many labels images have.
    data_shape: (3, height, width); (1, height, width) reads all images as gray, of
      which arrays with colors are an error. batch_size, dtype: None or "float32"; "uint8";
      "int8", less the rounded mean; "float16".
    shuffle: the whole set, each epoch another order, with or without path_imgidx.
      shuffle_chunk_size: in MB: blocks of neighbours are mixed instead.
    seed, shuffle_chunk_seed, seed_aug: together the loader's seed: order and draws
      are functions of it. num_parts, part_index: this process's part of each
      epoch's order, of equally many batches.
    round_batch: the last batch is filled up from the beginning of the epoch's order,
      batch.pad counts; False: it is shorter.
    preprocess_threads: None: as many as this process may use. prefetch_buffer:
      batches made in advance. data_name, label_name: the names in provide_data and
      provide_label. aug_seq: "aug_default". ctx, device_id, verbose: are taken; batches
      are in the host's memory, and nothing is printed.

    resize, rand_crop, random_resized_crop, max_rotate_angle, rotate, rotate_list,
    max_aspect_ratio, min_aspect_ratio, max_shear_ratio, max_random_scale,
    min_random_scale, max_random_area, min_random_area, max_img_size, min_img_size,
    max_crop_size, min_crop_size, pad, fill_value, inter_method, brightness, contrast,
    saturation, random_h, random_s, random_l, pca_noise, mirror, rand_mirror, mean_img,
    mean_r, mean_g, mean_b, std_r, std_g, std_b, scale, max_random_contrast,
    max_random_illumination: as there. Images are turned upright first, as their EXIF
    says. mean_img that is no file yet is made, of one pass over the images.

    arrays, on_bad, unsupported, entry_points: as Loader's.

    Other than MXNet: draws do not depend on threads or on the place in a batch, but
    on seed, epoch and sample. An epoch has each sample once, also after a
    round_batch; the rest of a batch with round_batch=False has no image of an earlier
    one. Values that MXNet's iterator accepts silently and cannot use are errors: mean_r
    with dtype="uint8", one of max_crop_size and min_crop_size, NaN. Labels that are NaN
    are refused, too.
    """

    @explained(
        "ImageRecordIter",
        also=list(DEFAULTS),
        elsewhere={"transform": "resize, rand_crop, rand_mirror and the others"},
    )
    def __init__(
        self,
        path_imgrec: Union[Dataset, Path, Iterable[Path]],
        data_shape: Tuple[int, int, int],
        batch_size: int,
        *,
        path_imgidx: Path = "",
        path_imglist: Path = "",
        label_width: int = 1,
        aug_seq: str = "aug_default",
        preprocess_threads: Optional[int] = None,
        verbose: bool = True,
        num_parts: int = 1,
        part_index: int = 0,
        device_id: int = 0,
        shuffle_chunk_size: int = 0,
        shuffle_chunk_seed: int = 0,
        seed_aug: Optional[int] = None,
        shuffle: bool = False,
        seed: int = 0,
        round_batch: bool = True,
        prefetch_buffer: int = 4,
        ctx: str = "gpu",
        dtype: Optional[str] = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        arrays: Arrays = "numpy",
        on_bad: OnBadSample = "fail",
        unsupported: OnUnsupported = "fail",
        entry_points: EntryPointTrust = "trusted",
        split: Optional[str] = None,
        **options: Unpack[ImageRecordAugmentation],
    ) -> None:
        self._shape = shape_of(data_shape)
        if dtype not in _DTYPES:
            raise ValueError(
                f"dtype: {dtype!r} is none of float32, float16, uint8 and int8"
            )
        _check_taken(aug_seq, ctx, device_id, verbose)
        given = Given(options)
        check_normalization(given, str(dtype))
        dataset, files = _dataset_of(path_imgrec, path_imglist, split)
        if not _is_used(path_imgidx, dataset):
            _check_idx(path_imgidx, len(dataset), files)
        self._names = text("data_name", data_name), text("label_name", label_name)
        self._labels = within("label_width", label_width, 1, 1 << 20)
        self._int8_mean: Any = None
        mean = _mean_image(given, self._shape, dataset, batch_size, on_bad, unsupported)
        if dtype == "int8":
            self._int8_mean = _whole_mean(given, mean)
        core_type: Any = _DTYPES[dtype]
        super().__init__(
            dataset,
            batch_size=batch_size,
            order=_order(switch("shuffle", shuffle), shuffle_chunk_size),
            fetch_bytes=_chunk(shuffle_chunk_size),
            seed=_seed(seed, shuffle_chunk_seed, seed_aug),
            rank=count("part_index", part_index),
            world=within("num_parts", num_parts, 1, 1 << 20),
            last_batch="pad" if switch("round_batch", round_batch) else "short",
            transform=transform_of(given, self._shape, core_type != "uint8", mean),
            threads=_threads(preprocess_threads),
            prefetch=within("prefetch_buffer", prefetch_buffer, 1, 1 << 16),
            layout="nchw",
            apply_exif=True,
            gray=self._shape[0] == 1,
            dtype=core_type,
            label_dtype="float32",
            arrays=arrays,
            on_bad=on_bad,
            unsupported=unsupported,
            entry_points=entry_points,
            callback=self._made,
        )

    def _made(self, batch: _core.Batch) -> ImageRecordBatch:
        labels = batch.labels
        found = 1 if labels.ndim == 1 else labels.shape[1]
        if found != self._labels:
            raise ValueError(
                f"label_width: {self._labels}, but the images have {found} labels, "
                "of which NaN is none"
            )
        images = batch.images
        if self._shape[0] == 1:
            images = _gray(images, batch.ids)
        if self._int8_mean is not None:
            images = _as_int8(images, self._int8_mean, batch.boxes)
        return ImageRecordBatch(batch, images)

    def __iter__(self) -> Iterator[Any]:  # of ImageRecordBatch
        return super().__iter__()

    def __next__(self) -> ImageRecordBatch:
        """As next(): MXNet's iterators have both."""
        return self.next()

    def next(self) -> ImageRecordBatch:
        """The next batch of the epoch. StopIteration: the epoch ended; reset() begins
        the next one."""
        if self._running is None:
            self._running = iter(self)
        batch: ImageRecordBatch = next(self._running)
        return batch

    def reset(self) -> None:
        """Moves to an epoch's beginning: the next epoch's, if any batch of this one was
        taken."""
        self._running = None

    _running: Optional[Iterator[Any]] = None

    def __repr__(self) -> str:
        return super().__repr__().replace("Loader", "ImageRecordIter", 1)

    @property
    def provide_data(self) -> List[Tuple[str, Tuple[int, ...]]]:
        """The name and the shape of batch.data."""
        return [(self._names[0], (self.batch_size, *self._shape))]

    @property
    def provide_label(self) -> List[Tuple[str, Tuple[int, ...]]]:
        """The name and the shape of batch.label."""
        width = () if self._labels == 1 else (self._labels,)
        return [(self._names[1], (self.batch_size, *width))]


def _check_taken(aug_seq: Any, ctx: Any, device_id: Any, verbose: Any) -> None:
    """Checks arguments that change no batch here, but must be valid."""
    if aug_seq != "aug_default":
        raise ValueError(f"aug_seq: {aug_seq!r} is unknown; there is aug_default")
    if ctx not in ("cpu", "gpu", "cpu_pinned"):
        raise ValueError(f"ctx: {ctx!r} is none of cpu, gpu and cpu_pinned")
    within("device_id", device_id, -1, 1 << 20)
    switch("verbose", verbose)


class _Relabelled(Dataset):
    """With a label of the list for each record, as MXNet wants it."""

    _labels_for_all = True


def _dataset_of(
    path: Any, labels: Any, split: Optional[str]
) -> Tuple[Dataset, List[str]]:
    """Shows the files that it reads, as given."""
    if isinstance(path, Dataset):
        if labels:
            raise TypeError("path_imglist: give the Dataset its labels= instead")
        if split is not None:
            raise TypeError("split: give the Dataset its split= instead")
        return path, path.path if isinstance(path.path, list) else [path.path]
    given: Dict[str, Any] = {"labels": labels} if labels else {}
    if split is not None:
        given["split"] = text("split", split)
    kind = _Relabelled if labels else Dataset
    places = _places_of(path)
    # A list of MXNet goes by the ids of records, an index by their keys.
    folder = None if given else _split_of(places)
    if folder is None:
        is_shards = len(places) > 1 or places[0].endswith(".rec")
        return kind(places if is_shards else places[0], **given), places
    return kind(folder[0], split=folder[1], **given), places


def _places_of(path: Any) -> List[str]:
    """A dataset's folder, or shard files."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return _expanded([os.fsdecode(each) for each in path])
    name = os.fsdecode(path)
    if not name:
        raise ValueError("path_imgrec: is empty")
    if os.path.isdir(name):
        if os.path.exists(os.path.join(name, "shardine.json")):
            return [name]
        shards = sorted(each for each in os.listdir(name) if each.endswith(".rec"))
        if not shards:
            raise ValueError(f"path_imgrec: there is no .rec file in {name}")
        return [os.path.join(name, each) for each in shards]
    return _expanded(name.split(";") if name.endswith(".rec") else [name])


def _expanded(patterns: List[str]) -> List[str]:
    """The files that fit, in order. One without any stands for itself: then errors
    name it."""
    return [os.fsdecode(each) for each in _core.expand({"path_imgrec": patterns})]


def _split_of(places: List[str]) -> Optional[Tuple[str, str]]:
    """The folder and the split whose shards they are, in order: its indexes replace a
    scan of them."""
    folder = os.path.dirname(places[0])
    try:
        splits = info(folder or ".").splits
    except ShardineError:
        return None
    for split in splits:
        shards = [os.path.join(folder, shard.path) for shard in split.shards]
        if shards == places:
            return folder or ".", split.name
    return None


def _is_used(path: Any, dataset: Dataset) -> bool:
    """Whether the records are read by this index: then its places were checked."""
    return bool(path) and any(
        os.path.exists(path) and os.path.samefile(path, each)
        for each in dataset._core().indexes
    )


def _check_idx(path: Any, records: int, files: List[str]) -> None:
    """An index of other records would have made MXNet read others."""
    if not path:
        return
    name = os.fsdecode(path)
    with open(path, "rb") as file:
        text = file.read()
    words = text.split()
    offsets = words[1::2]
    # A million lines are looked at together, and one by one where any is unusual.
    shape = text.translate(None, b"0123456789\r").rstrip(b"\n")
    is_usual = shape == (b"\t\n" * len(offsets)).rstrip(b"\n")
    if not is_usual or len(set(offsets)) < len(words) / 2:
        _refuse_idx(name, [line.split() for line in text.split(b"\n") if line.strip()])
    if len(offsets) != records:
        raise ValueError(
            f"path_imgidx: {name} lists {len(offsets)} records, and there are {records}"
        )
    _check_offsets(name, sorted(map(int, offsets)), files)


def _refuse_idx(name: str, listed: List[List[bytes]]) -> None:
    """Names the first line that is wrong."""
    offsets: Set[bytes] = set()
    for number, words in enumerate(listed, 1):
        if len(words) != 2 or not all(word.isdigit() for word in words):
            raise ValueError(f"path_imgidx: {name}: line {number} is no id and offset")
        if words[1] in offsets:
            raise ValueError(
                f"path_imgidx: {name}: line {number} has the offset {int(words[1])} "
                "of another record"
            )
        offsets.add(words[1])


def _check_offsets(name: str, offsets: List[int], files: List[str]) -> None:
    """Records begin with RecordIO's magic number, and are whole (0 in the upper
    three bits of the length) or the first part (1). Each look is a seek: at many
    offsets some are looked at."""
    if len(files) != 1 or not files[0].endswith(".rec"):
        return  # there is an index of each file, and one name for all of them
    if len(offsets) > _MOST_OFFSETS:
        offsets = offsets[:: len(offsets) // _FEW_OFFSETS] + offsets[-1:]
    size = os.path.getsize(files[0])
    with open(files[0], "rb", buffering=0) as records:
        for offset in offsets:
            records.seek(min(offset, size))
            head = records.read(8)
            if head[:4] != _MAGIC or len(head) < 8 or head[7] >> 5 > 1:
                raise ValueError(
                    f"path_imgidx: {name}: no record of {files[0]} begins at byte "
                    f"{offset}"
                )


def _order(shuffle: bool, chunk: int) -> Order:
    if within("shuffle_chunk_size", chunk, 0, 1 << 20):
        return "blocks"
    return "shuffle" if shuffle else "sequential"


def _chunk(megabytes: int) -> int:
    return megabytes << 20 if megabytes else 512 << 20


def _seed(seed: Any, chunk_seed: Any, aug_seed: Any) -> int:
    low = within("seed", seed, -(1 << 31), _UINT32)
    low += within("shuffle_chunk_seed", chunk_seed, -(1 << 31), _UINT32)
    high = 0 if aug_seed is None else within("seed_aug", aug_seed, -(1 << 31), _UINT32)
    return (high & _UINT32) << 32 | low & _UINT32


def _threads(threads: Optional[int]) -> int:
    return 0 if threads is None else within("preprocess_threads", threads, 1, 1 << 16)


def _mean_image(
    given: Given, shape: Tuple[int, int, int], dataset: Dataset, batch_size: int,
    on_bad: OnBadSample, unsupported: OnUnsupported,
) -> Optional[NDArray[numpy.float32]]:  # fmt: skip
    """The image of mean_img, which is made if it does not exist; for three channels."""
    import numpy

    path = os.fsdecode(given.get("mean_img"))
    if not path:
        return None
    if not os.path.exists(path):
        bytes_of = Loader(
            dataset,
            batch_size=batch_size,
            order="sequential",
            seed=0,
            last_batch="short",
            rank=0,
            world=1,
            transform=transform_of(given, shape, floats=False),
            layout="nchw",
            apply_exif=True,
            gray=shape[0] == 1,
            on_bad="drop" if on_bad == "gray" else on_bad,
            unsupported=unsupported,
        )
        with bytes_of:
            write_mean_image(path, mean_of(bytes_of, shape[0]))
    image = read_mean_image(path, shape)
    return numpy.repeat(image, 3 // shape[0], axis=0)


def _whole_mean(given: Given, image: Any) -> NDArray[numpy.int16]:
    """The mean as whole numbers, for each value or each channel."""
    import numpy

    if image is None:
        means = numpy.array(rounded_mean(given), numpy.int16)
        return means.reshape(3, 1, 1)
    whole = numpy.floor(numpy.abs(image) + numpy.float32(0.5))
    signed: NDArray[numpy.int16] = numpy.copysign(whole, image).astype(numpy.int16)
    return signed


def _gray(images: Any, ids: Any) -> Any:
    """One channel of three that are equal."""
    colored = (images[:, 1:] != images[:, :1]).reshape(len(images), -1).any(1)
    if bool(colored.any()):
        raise ValueError(
            f"data_shape: has one channel, but the image of id {ids[colored][0]} is "
            "not gray"
        )
    return images[:, :1]


def _as_int8(images: Any, mean: NDArray[numpy.int16], boxes: Any) -> Any:
    """Less the mean, which is flipped where the image is."""
    import numpy

    less = numpy.asarray(images).astype(numpy.int16)
    flipped = numpy.asarray(boxes)[:, 4] & 1 == 1
    channels = mean[: less.shape[1]]
    less[~flipped] -= channels
    less[flipped] -= channels[..., ::-1]
    made = numpy.clip(less, -128, 127).astype(numpy.int8)
    if isinstance(images, numpy.ndarray):
        return made
    import torch

    return torch.from_numpy(made)
