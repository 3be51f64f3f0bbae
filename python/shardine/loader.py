"""A dataset to training batches."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple
from typing import Union

from . import _core
from .arguments import Settled, count, explained, flag, path as as_path, shown
from .arguments import text as as_text
from .dataset import Dataset, Path
from .dispatchers import refuse_dispatcher, warn_of_batching
from .keep import Keep, KeptDataset, kept_dataset
from .loader_options import (
    ArrayLayout,
    Arrays,
    BucketSamples,
    EntryPointTrust,
    LabelType,
    LastBatch,
    Layout,
    Nodes,
    OnBadSample,
    OnUnsupported,
    Order,
    PixelType,
    Raggedness,
)
from .loader_setup import (
    among,
    check_wanted,
    checked_callback,
    field_names,
    mark_streamed,
    following,
    samples_of,
    set_buckets,
    set_counts,
    set_follow,
    set_mix,
    set_normalization,
    set_pixels,
    set_samples,
    set_views,
    set_words,
    shown_as,
    views_of,
)
from .loader_state import check_state
from .mix import Mix
from .mixing import Mixing, MixPer
from .normalization import NO_MEAN, NO_STD, Normalization
from .ranks import node_count, rank_and_world, warn_if_others
from .same_epoch import draws, warn_if_begun
from .samplings import Sampling, as_sampling
from .selection import Selection
from .torch_types import IterableWhereTorchIs
from .transforms import Transforms
from .verb_options import Filter

# Other programs' names, and ours for them.
ELSEWHERE = {
    "shuffle": 'order="shuffle" or order="sequential"',
    "drop_last": 'last_batch="drop" or last_batch="short"',
    "num_workers": "threads",
    "workers": "threads",
    "num_threads": "threads",
    "prefetch_factor": "prefetch",
    "world_size": "world",
    "num_replicas": "world",
    "random_state": "seed",
    "sampler": "sampling",
    "indices": "dataset.select([...])",
    "where": "dataset.select(where=...)",
    "classes": "dataset.select([...])",
    "class_choice": "sampling=shardine.ClassBalanced()",
    "weights": "sampling=shardine.Weighted(...)",
    "num_samples": "sampling=shardine.Repeated(1, samples=...)",
    "epoch_size": "sampling=shardine.Repeated(1, samples=...)",
    "split": "shardine.Dataset(path, split=...), in the place of the path,",
    "variant": "shardine.Dataset(path, variant=...), in the place of the path,",
}


def _as_tuple(batch: Any) -> Tuple[Any, ...]:
    if not isinstance(batch, Iterable):
        raise TypeError(f"as_tuples: callback= returned {batch!r}, which is not several")
    return tuple(batch)


class Loader(Settled, IterableWhereTorchIs):
    """Batches of a dataset, over and over: each iteration is an epoch.

    >>> import shardine
    >>> loader = shardine.Loader("data", batch_size=8, seed=1,
    ...                          transform=shardine.RandomResizedCrop(64))
    >>> for images, labels in loader:  # or batch.images, batch.labels, batch.ids ...
    ...     print(images.shape, labels.shape)
    (8, 3, 64, 64) (8,)
    (8, 3, 64, 64) (8,)
    (8, 3, 64, 64) (8,)
    >>> loader.set_epoch(3)
    >>> batch = next(iter(loader))
    >>> state = loader.state_dict()
    >>> loader.epoch, loader.steps_left, state["position"]
    (3, 2, 8)
    >>> again = shardine.Loader("data", batch_size=4, raw=True, seed=1)
    >>> again.load_state_dict(state)  # the rest of that epoch, in other batches
    >>> len(again), again.steps_left, sum(1 for images, labels in again.as_tuples())
    (6, 4, 4)
    >>> again.stats().images
    16
    >>> again.batch_size, again.rank, again.world, len(again.dataset)
    (4, 0, 1, 24)
    >>> again.close()
    >>> def inverted(batch):
    ...     return 255 - batch.images, batch.labels
    >>> cut = shardine.CenterCrop(32)
    >>> for images, labels in shardine.Loader("data", batch_size=8, transform=cut,
    ...                                       callback=inverted): pass
    >>> import numpy
    >>> with shardine.Writer("shapes", format="tfrecord") as writer:
    ...     writer.write({"image": numpy.zeros((40, 30, 3), "u1"),
    ...                   "mask": numpy.ones((40, 30), "u1"), "category": numpy.array([7, 8]),
    ...                   "bbox": numpy.array([[0, 0, 4, 4], [10, 15, 20, 25.0]])})
    >>> loader = shardine.Loader(
    ...     "shapes", batch_size=1, transform=shardine.CenterCrop(20, resize=0),
    ...     follow={"mask": "nearest", "bbox": "boxes", "category": "with:bbox"})
    >>> fields = next(iter(loader)).fields
    >>> fields["mask"].shape, fields["bbox"].sample(0).tolist(), fields["category"].values
    ((1, 20, 20), [[5.0, 5.0, 15.0, 15.0]], array([8]))

    dataset: a Dataset, or an argument of Dataset: a folder or a list of shards; or some
      of a dataset's samples, dataset[:1000] or dataset.select(...), each once: an epoch
      has these alone, "sequential" in the order that they were given in. A state_dict()
      fits the same choice only. Or a Mix of several.
    sampling: which of these samples an epoch has, and how often each: Repeated,
      ClassBalanced, Weighted or Episodes; by default each once. Counts are exact
      over all ranks. A state_dict() fits the same sampling only.

    One of these decides the form of images:
      transform: RandomResizedCrop(224), CenterCrop(224), ...: pixels. Or a list of one
        of these and of operations on its pixels: [RandomResizedCrop(224),
        ColorJitter(0.4, 0.4, 0.4), RandomErasing(0.25)].
      views: several of these, [global_crop, global_crop, local_crop], as SimCLR
        and DINO train on: from one read of a sample and, where crops lie in each
        other, one decode, each with draws of its own. batch.views are as many
        arrays, and `for views, labels in loader` has them all.
      raw=True: the stored bytes: bytes, or arrays of pixels.
    image: the field that these are about: encoded images, or arrays of uint8, H x W
      or of three axes with 1, 3 or 4 channels; gray becomes three channels, a fourth
      is left out. image_layout: the axes of such arrays: "hwc", height x width x
      channels, in the order that they have; "chw", channels first; "bgr" and
      "bgr-planes", the same with blue first, of which RGB is made.
    fields: names of fields for batch.fields, beside images or alone: arrays of
      one type and shape, bytes, or str where they are text. Transforms move those that
      `follow` names; batch.boxes has each image's box.
    follow: how fields follow the image through crop, scale, flip, border and affine
      of the transform or of each view, by name; batches have them beside `fields`:
        "nearest": a mask: an array of the image's height and width, with channels
          behind them or none, or a PNG or JPEG of its size. A batch has samples x
          height x width (x channels) of the mask's own type: a PNG's palette indices,
          16 bits and all channels stay. Pixels are those of torchvision's masks; with
          "nearest-exact" those of Pillow's NEAREST, which lie as the image's do.
        "boxes": n x 4: x0, y0, x1, y1 in pixels of the stored image; float64 then,
          moved and clipped. A box of which nothing is left, or less than min_visible of
          its area, is dropped.
        "points": n x 2 or n x k x 2: x, y; or 3: and a number that is 0 where there is
          no point. float64 then; points outside the view are -1, -1 (and 0).
        "with:bbox": a row for each of the boxes `bbox`, such as its class: rows of
          dropped boxes are dropped. "points with:bbox": points, likewise.
        "stay": the field stays as it is.
      Operations on values change no field. {}: no field follows. A field of the image's
      height and width that follow does not name is refused where a transform moves
      the image. With views= each such field is a tuple of one for each view.
    mask_fill: the value of masks beyond the image. min_visible: above. pad_to: boxes,
      points and rows of each sample are so many, missing ones -1: one array of samples
      x pad_to; a sample of more is a bad one. By default they are a shardine.Ragged,
      with ragged="list" a list.
    ragged: the form of fields that differ in shape, or that some samples lack: "list",
      an array for each sample, None where it has none; "offsets", a shardine.Ragged:
      the values of all samples in one array, with offsets, shapes and present. Bytes
      are lists in either case, None where there are none. By default such a sample is a
      bad one. The arrays of a field always have one type.

    text: which of `fields` are text beside those that the dataset says
      (Dataset.text_fields): a list of str in batch.fields.

    batch_size: samples of this rank in a step.
    order: "shuffle", an exact permutation of all samples; "blocks", of blocks
      of `block` neighbours, mixed in a window of `window` blocks, for storage
      that seeks slowly; "sequential"; "ratio", by ascending width / height, for
      rectangular validation with a square CenterCrop (see RectVal).
    buckets: shapes of batches, a list of (height, width), 255 at most, each of another
      aspect ratio: [(256, 256), (192, 320), (320, 192)]. A batch has images of one
      bucket, all ranks of the same one at each step, and an epoch each sample once. An
      image belongs to the bucket whose width / height is nearest to its own: the least
      |log(image / bucket)|; of two equally near ones the first listed. Sizes are the
      index's, upright with apply_exif; an unknown size is an error, or, where on_bad
      tolerates the sample, the first bucket's. Samples come in their order ("shuffle",
      "blocks", "sequential"), each joins its bucket, and a bucket that has batch_size *
      world of them is the next step. What is left follows at the end of the epoch,
      bucket by bucket, as last_batch says. transform is, with the size of one of the
      buckets, RandomResizedCrop, whose ratio is relative to the bucket's; CenterCrop,
      which cuts the middle of the image in the least size that covers the bucket
      (resize: its own shorter side); or Resize. Not with views, nodes, sampling, raw.
    seed: order and crops are functions of it, the epoch and the sample alone; by
      default 0. A RuntimeWarning: a second loader of the same samples begins with
      epoch 0 of the default seed, which makes the same batches again: keep the
      loader, or call set_epoch(), or give it a seed.
    rank, world: this process's share; by default those of torch.distributed
      where it is initialised, else the environment's, of torchrun (RANK and
      WORLD_SIZE), Open MPI, MPICH or Slurm's srun. A RuntimeWarning: nothing says it in
      a job of several tasks, or torch.distributed, initialised after the loader was
      made, says another one.
    nodes: machines that share the ranks, as many each, in order "blocks" or
      "sequential": each reads a part of its own, the same in every epoch and mixed
      in itself, so that their caches differ; "auto": as torchrun, Open MPI, MPICH or
      srun say. The order is the one of so many nodes; an epoch that was begun by others
      goes on as it was begun.
    last_batch: the handling of samples that fill no whole step: "drop", "short" (dealt
      out to all ranks), "pad" (filled up from the beginning; batch.padding counts),
      "roll" (filled up from the next epoch).
    threads: 0: this process's share of the processors: the processors that it may run
      on and its cgroup has time for, by LOCAL_WORLD_SIZE. readers: threads that wait
      for storage, each for eight samples at a time; 0: two, or more where there are
      many threads, and 64 of a server; more help where storage answers late. prefetch:
      batches ready in advance; 0: as many as keep the threads busy.
    fetch_bytes: for "blocks" and "sequential": how much of the next samples is asked
      for in advance, in ranges as large as their blocks; 0: nothing. A local disk reads
      them into the kernel's cache. At most so many bytes of a server's answers are
      held, half for the window that samples are taken from, half for the next; the rest
      of a larger window is read sample by sample. A rank among several holds its own
      samples, and up to 64 KiB in between.
    on_bad: a damaged sample: "fail", "drop" (its batch is shorter), "gray" (its
      label stays; batch.bad tells). A RuntimeWarning, with the first reason, says
      that all samples of a batch or more than 1 % of an epoch were bad, and at
      the end of an epoch how many.
    unsupported: sound images of kinds that are not decoded (HEIC, AVIF, JPEG XL,
      some JPEGs and TIFFs): "fail", with counts and the first of them, when the
      loader is made; "drop" (its batch is shorter; stats().unsupported counts).
    entry_points: "trusted": the .sde is taken as it is, for datasets that you
      made or verified; "proved": its entry for a sample is compared with the image at
      its first use in this process, which takes about twice the time of a crop;
      "unused": images are decoded from their beginning. Where the .sde does not match
      the images, stats().refused_entry_points counts.
    synthetic: batches of noise, of the same number and shapes, at no cost: no loader
    can beat a trainer's rate with them. trace_events: so many of the latest events are
    kept for write_trace(). callback: a function called with each batch, in the thread
    that takes it, and whose
      result is delivered in its place: NumPy's or any Python code over whole
      batches. Its exception ends the iteration; its batch counts as taken. as_tuples()
      and CudaPrefetcher unpack the result as (images, targets).

    mix: MixUp(alpha=0.2), CutMix(), or a list of them, of which each batch has one:
      images and labels of two samples become one, in the loader's threads. Then
      `for images, targets in loader` has weighted pairs of labels, a MixedLabels,
      or rows of one_hot. Needs pixels of one view and samples of one label.
    mix_per: "batch", one draw for all samples of a batch, as torchvision has it;
      "sample", one for each, the same in any batch and world.
    mix_apply: False leaves images as they are, for trainers that mix on the GPU: `for
      images, targets, mix in loader`, and shardine.torch.mixed(images, mix).
    one_hot: the number of classes: batch.targets are float32, samples x classes,
      with mix or without. label_smoothing: the share of 1 that all classes divide.

    keep: a folder, or a Keep with options of pack(): `dataset` is a folder of photos
      then, or {"train": DIR}, as pack() takes it, which is packed into that folder
      while it is loaded. Batches are those of the packed dataset with the same
      arguments; it is there when the first epoch has ended. Photos of shards that are
      not packed yet are read from their own files, so that order="blocks" reads
      most of them once. Killed and started again, it goes on with the finished shards,
      and load_state_dict() with the epoch. Each rank packs its part; with
      order="blocks" and nodes=world that is the part that it reads. A bad image ends
      the epoch, as it ends pack().

    layout: of batch.images: "channels_last", N x C x H x W over memory in the
      order N, H, W, C; "nhwc", the same memory as N x H x W x C; "nchw", planar.
    arrays: the type of arrays in batches: "numpy", or "torch": tensors over the same
      memory, without a copy; arrays without a torch type stay NumPy's. pin_memory:
      tensors are copies in pinned memory, which `.cuda(non_blocking=True)` wants: a
      copy at each use of batch.images and the like, so take each once. Without a CUDA
      device a UserWarning says that nothing is pinned, as DataLoader's does.
      shardine.torch.CudaPrefetcher pins, copies and normalizes ahead.
    dtype: "uint8", "float32", "float16"; of floats: (value - mean) / std, of
      values from 0 to 255 per channel. normalize: "imagenet", or a pair (mean,
      std) of values from 0 to 1, as torchvision's Normalize takes it, instead.
    label_dtype: of batch.labels: "int64", "float32", "float64"; by default int64
      where all labels of the loader's samples are integers, else float32, or float64
      where float32 has no number for one of the integers; a RuntimeWarning says that
      fractions are rounded. An integer that the type does not hold is an error of
      its batch. Several a sample make a row of each; none make rows of none.
    filter: "bilinear" and Pillow's others. apply_exif: turn images upright.
    gray: images are read as gray, as OpenCV's IMREAD_GRAYSCALE reads them (of a
      JPEG its luma), whole; the three channels are equal.

    Iterating: each iter() is the next epoch, whether the one before came to its
    end, was left early, or took exactly len() batches. After load_state_dict()
    the next one yields the rest of the state's epoch, exactly. len() is a whole
    epoch's steps, steps_left the rest. Where torch.utils.data is, a loader is an
    IterableDataset for DataLoader(loader, batch_size=None). There is one
    iteration at a time, of one thread; close(), stats() and state_dict() are
    for any.
    """

    _varies = True  # from epoch to epoch, as training does

    @explained("Loader", elsewhere=ELSEWHERE)
    def __init__(
        self,
        dataset: Union[Dataset, Selection, Mix, Path, Iterable[Path]],
        *,
        batch_size: int,
        order: Order = "shuffle",
        sampling: Optional[Sampling] = None,
        buckets: Optional[Sequence[Tuple[int, int]]] = None,
        seed: Optional[int] = None,
        rank: Optional[int] = None,
        world: Optional[int] = None,
        last_batch: LastBatch = "drop",
        transform: Optional[Transforms] = None,
        views: Optional[Sequence[Transforms]] = None,
        raw: bool = False,
        image: str = "image",
        image_layout: ArrayLayout = "hwc",
        fields: Sequence[str] = (),
        follow: Optional[Mapping[str, str]] = None,
        mask_fill: float = 0.0,
        min_visible: float = 0.0,
        pad_to: int = 0,
        ragged: Optional[Raggedness] = None,
        text: Sequence[str] = (),
        threads: int = 0,
        on_bad: OnBadSample = "fail",
        unsupported: OnUnsupported = "fail",
        entry_points: EntryPointTrust = "trusted",
        prefetch: int = 0,
        readers: int = 0,
        arrays: Arrays = "numpy",
        pin_memory: bool = False,
        layout: Layout = "channels_last",
        dtype: PixelType = "uint8",
        mean: Tuple[float, float, float] = NO_MEAN,
        std: Tuple[float, float, float] = NO_STD,
        normalize: Optional[Normalization] = None,
        label_dtype: Optional[LabelType] = None,
        filter: Filter = "bilinear",
        apply_exif: bool = False,
        gray: bool = False,
        block: int = 1024,
        window: int = 16,
        nodes: Nodes = 1,
        fetch_bytes: int = 512 << 20,
        synthetic: bool = False,
        trace_events: int = 0,
        callback: Optional[Callable[[_core.Batch], Any]] = None,
        mix: Optional[Mixing] = None,
        mix_per: MixPer = "batch",
        mix_apply: bool = True,
        one_hot: Optional[int] = None,
        label_smoothing: float = 0.0,
        keep: Optional[Union[Path, Keep]] = None,
    ) -> None:
        self._callback = checked_callback(callback)
        raw, image = flag("raw", raw), as_text("image", image)
        names = field_names(fields, raw, image)
        names += [name for name in following(follow) if name not in names]
        made = views_of(transform, views)
        check_wanted(made, raw, names)
        self._batch_size = count("batch_size", batch_size)
        self._rank, self._world = rank_and_world(rank, world)
        self._kept = kept_dataset(dataset, keep, self._rank, self._world)
        self._dataset: Any = self._kept if keep is not None else samples_of(dataset)
        self._rank_was_found, self._layout = rank is None, layout
        if self._kept is not None:
            readers = self._kept.readers_of(readers)
        options = _core.LoaderOptions()
        set_words(options, order=order, last_batch=last_batch, image=image,
                  ragged=ragged, label_dtype=label_dtype, on_bad=on_bad,
                  unsupported=unsupported, entry_points=entry_points)  # fmt: skip
        set_counts(options, 32, batch_size=batch_size, rank=self._rank,
                   world=self._world, threads=threads, prefetch=prefetch,
                   readers=readers, trace_events=trace_events)  # fmt: skip
        set_counts(options, 64, block=block, window=window, fetch_bytes=fetch_bytes,
                   seed=0 if seed is None else seed)  # fmt: skip
        options.synthetic = flag("synthetic", synthetic)
        options.nodes = node_count(nodes, self._world)
        options.fields, options.fields_stay = names, follow is not None and not follow
        set_follow(options, follow, mask_fill, min_visible, pad_to)
        options.shown_as, options.text = shown_as(arrays, pin_memory), among(names, text)
        set_views(options, made, views is not None)
        set_pixels(options, made, layout, dtype, filter, apply_exif, gray, image_layout)
        set_normalization(options, dtype, mean, std, normalize)
        set_mix(options, mix, mix_per, mix_apply, one_hot, label_smoothing)
        set_buckets(options, buckets)
        core = set_samples(options, self._dataset, as_sampling(sampling))
        self._loader: Optional[_core.Loader] = _core.Loader(core, options)
        self._iteration = 0  # the number of the one that is not over
        varies = self._varies and (order in ("shuffle", "blocks") or draws(made, mix))
        self._may_repeat = varies and seed is None
        mark_streamed(self._dataset)

    @property
    def dataset(self) -> Any:
        """The Dataset, Selection or Mix that the batches come from."""
        return self._dataset

    @property
    def batch_size(self) -> int:
        """Samples of this rank in a step."""
        return self._batch_size

    @property
    def rank(self) -> int:
        """The one of `world` whose share this is."""
        return self._rank

    @property
    def world(self) -> int:
        """Ranks that share the samples."""
        return self._world

    def _open(self) -> _core.Loader:
        if self._loader is None:
            raise ValueError("the loader is closed")
        return self._loader

    def _begin(self) -> None:
        """Starts an iteration, which ends the one before."""
        if self._may_repeat:
            self._may_repeat = False
            warn_if_begun(self._dataset, self._open().state(), self._rank)
        self._open().begin_iteration()
        self._iteration += 1
        if self._rank_was_found:
            self._rank_was_found = False  # it is said once
            warn_if_others(self.rank, self.world)

    def __iter__(self) -> Iterator[_core.Batch]:
        caller = sys._getframe(1)
        warn_of_batching(caller)
        if self._world > 1:
            refuse_dispatcher(caller)
        self._begin()
        return _Iteration(self, self._iteration)

    def as_tuples(self) -> Iterator[Tuple[Any, Any]]:
        """An epoch as plain tuples (images, targets), where a Batch will not do.

        for images, labels in loader.as_tuples(): ...
        """
        return (_as_tuple(batch) for batch in self)  # a generator, as Keras wants it

    def __len__(self) -> int:
        return self._open().steps

    @property
    def buckets(self) -> List[BucketSamples]:
        """The buckets as given, and how many of the samples each has; [] without.

        >>> loader = shardine.Loader("data", batch_size=4, last_batch="short",
        ...                          transform=shardine.CenterCrop(64, resize=64),
        ...                          buckets=[(64, 64), (48, 64)])
        >>> [tuple(each) for each in loader.buckets]
        [(64, 64, 0), (48, 64, 24)]
        """
        return [BucketSamples(*each) for each in self._open().buckets]

    @property
    def epoch(self) -> int:
        """The epoch of the next batch."""
        return self._open().epoch

    @property
    def steps_left(self) -> int:
        """Batches from the next one to the end of its epoch."""
        return self._open().steps_left

    def set_epoch(self, epoch: int) -> None:
        """To the beginning of an epoch. For the epoch of the next batch it changes
        nothing if no batch was taken yet: trainers call it after load_state_dict(),
        too. At most 2^62 - 1, so that epochs can follow."""
        self._open().set_epoch(count("epoch", epoch, 62))
        self._iteration += 1
        self._may_repeat = False

    def state_dict(self) -> Dict[str, Any]:
        """The state from which load_state_dict() resumes exactly: every batch that was
        handed out counts. The same on every rank, whatever their number. After the last
        batch of an epoch it is the beginning of the next."""
        return self._open().state()

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Resumes a state of the same samples, sampling, order (with "blocks" also
        block and window), buckets and seed, else an InvalidArgumentError names the
        difference; rank, world, batch size, last_batch and operations on images may
        differ. A state of the beginning of an epoch may be of any order and buckets."""
        self._open().set_state(**check_state(state))
        self._iteration += 1
        self._may_repeat = False

    def stats(self) -> _core.LoaderStats:
        """The work and waits of each stage so far."""
        return self._open().stats()

    def write_trace(self, path: Path) -> None:
        """Writes the work and waits of each thread, sample by sample: a JSON file for
        Perfetto or chrome://tracing. Needs trace_events.

        >>> loader = shardine.Loader("data", batch_size=8, raw=True, trace_events=100)
        >>> sum(1 for batch in loader)
        3
        >>> loader.write_trace("trace.json")
        """
        self._open().write_trace(as_path("path", path))

    def close(self) -> None:
        """Ends the threads. Batches stay valid."""
        loader, self._loader = self._loader, None
        if loader is not None:
            loader.stop()
        if self._kept is not None:
            self._kept.stop()

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @shown
    def __repr__(self) -> str:
        return (
            f"<shardine.Loader of {self.dataset!r}: batches of "
            f"{self.batch_size}, rank {self.rank} of {self.world}>"
        )


OPTIONS = [n for n in inspect.signature(Loader.__init__).parameters if n != "self"]


class _Iteration:
    """One epoch, or its rest."""

    def __init__(self, loader: Loader, number: int) -> None:
        self._loader: Optional[Loader] = loader
        self._number = number
        self._epoch = loader.epoch
        self._ended: Optional[KeptDataset] = None  # by an epoch that is over

    def __iter__(self) -> _Iteration:
        return self

    def __next__(self) -> Any:  # a Batch, or the callback's result
        loader = self._loader
        if loader is None:
            ended, self._ended = self._ended, None
            if ended is not None:
                ended.finish()
            raise StopIteration
        core = loader._open()
        if loader._iteration != self._number:
            raise RuntimeError(
                "this iteration is over: the loader was moved, or iterated anew"
            )
        if loader._kept is not None:
            loader._kept.check()
        batch = core.next()
        # The last batch ends it: most trainers never ask for one more.
        if batch is None or core.epoch != self._epoch:
            self._loader, self._ended = None, loader._kept
        if batch is None:
            return next(self)
        return batch if loader._callback is None else self._made(batch, loader)

    def _made(self, batch: _core.Batch, loader: Loader) -> Any:
        following, self._loader = self._loader, None
        assert loader._callback is not None
        try:
            made = loader._callback(batch)
        except StopIteration as error:  # would look like the end of the epoch
            raise RuntimeError("callback raised StopIteration") from error
        self._loader = following
        return made

    def __length_hint__(self) -> int:
        return 0 if self._loader is None else self._loader.steps_left
