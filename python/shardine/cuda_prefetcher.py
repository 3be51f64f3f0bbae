"""Batches on the device, normalized, while the one before is trained on."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from contextlib import AbstractContextManager, nullcontext
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    NamedTuple,
    Optional,
    Tuple,
    Union,
)

import numpy
import torch

from .arguments import explained, flag, shown, within
from .loader import Loader
from .mixing import MixFactors
from .normalization import NO_MEAN, NO_STD, Normalization, checked_scale, chosen
from .phases import PhasedLoader


class _Item(NamedTuple):
    """A message from a thread to the consumer."""

    parts: Tuple[Any, ...]  # images (a tuple of views), targets, perhaps the mix
    ready: Any  # the event after the copies; None on the CPU
    state: Dict[str, Any]  # where the loader goes on behind them


class CudaPrefetcher:
    """Iterates (images, labels) of a Loader as tensors on a device: copied from
    pinned memory and normalized on one stream of its own, `depth` batches ahead of
    the consumer, which waits for no more than its own batch. The last batch comes,
    and then the end.

    loader: a Loader or PhasedLoader of pixels of uint8 (its default dtype). It is
      the prefetcher's from then on: iterating it beside takes batches away. With
      views=[...], images are a tuple of tensors. With mix or one_hot, labels are
      batch.targets; with mix_apply=False it yields (images, targets, mix), and
      shardine.torch.mixed() mixes the images.
    normalize: "imagenet", or a pair (mean, std) of values from 0 to 1; or mean and
      std of values from 0 to 255; without any, values stay 0 to 255.
    dtype: torch.float32, float16 or bfloat16: (value - mean) / std, calculated in
      float32.
    channels_last: the images' memory format; False: planar.
    depth: batches on the device in advance, 1 to 4: so much of its memory.
    device: by default the current CUDA device, or the CPU where there is none: the
      same arithmetic, with equal values.

    state_dict() counts the batches that the consumer got, not those in advance.
    One iteration at a time, of any thread; leaving it early, close() or the end of
    the object ends its thread. A failure of the loader, or of its callback, is raised
    by the iteration; so is RuntimeError in a process forked off while one runs.

    TypeError, ValueError: an argument that makes no sense: mean and std in the scale
    of 0 to 1, which are normalize's, a std that is not above 0, a device that is not
    there.

    >>> import shardine, shardine.torch
    >>> loader = shardine.TrainLoader("data", batch_size=4, seed=1)
    >>> batches = shardine.torch.CudaPrefetcher(loader, normalize="imagenet",
    ...                                        device="cpu")
    >>> for images, labels in batches:
    ...     step = images.shape, labels.shape
    >>> step
    (torch.Size([4, 3, 224, 224]), torch.Size([4]))
    """

    @explained("CudaPrefetcher", elsewhere={"prefetch": "depth"})
    def __init__(
        self,
        loader: Union[Loader, PhasedLoader],
        *,
        normalize: Optional[Normalization] = None,
        mean: Tuple[float, float, float] = NO_MEAN,
        std: Tuple[float, float, float] = NO_STD,
        dtype: torch.dtype = torch.float32,
        channels_last: bool = True,
        depth: int = 2,
        device: Union[None, str, torch.device] = None,
    ) -> None:
        if not isinstance(loader, (Loader, PhasedLoader)):
            raise TypeError(f"loader: {loader!r} is no shardine.Loader")
        if dtype not in (torch.float32, torch.float16, torch.bfloat16):
            raise ValueError(f"dtype: {dtype} is none of float32, float16, bfloat16")
        scale = checked_scale(*chosen(normalize, mean, std))
        self.loader = loader
        first = loader if isinstance(loader, Loader) else loader._loaders[0]
        self._is_nhwc = first._layout == "nhwc"
        self.device = _device(device)
        self._dtype = dtype
        self._format = (
            torch.channels_last
            if flag("channels_last", channels_last)
            else torch.contiguous_format
        )
        self._depth = within("depth", depth, 1, 4)
        self._mean, self._std = (
            torch.tensor(values, device=self.device).view(1, 3, 1, 1)
            for values in scale
        )
        cuda = self.device.type == "cuda"
        self._stream = torch.cuda.Stream(self.device) if cuda else None
        self._state = loader.state_dict()
        self._running: Optional[_Running] = None
        self._called: Optional[Iterator[Tuple[Any, ...]]] = None  # by next()
        self._nothing: Tuple[Any, ...] = (None, None)

    def __len__(self) -> int:
        """Steps of a whole epoch, the one that the loader is in: perhaps the next one
        while an iteration runs."""
        return len(self.loader)

    @property
    def epoch(self) -> int:
        """The epoch of the batch that is taken next."""
        return int(self._state["epoch"])

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        self.close()
        return self._deliver()

    def next(self) -> Tuple[Any, ...]:
        """The next batch, as the data_prefetcher of NVIDIA's examples has it: behind
        the last one of an epoch a tuple of None. The next call begins another epoch.

        >>> import shardine, shardine.torch
        >>> loader = shardine.TrainLoader("data", batch_size=4, seed=1)
        >>> batches = shardine.torch.CudaPrefetcher(loader, device="cpu")
        >>> steps, (images, labels) = 0, batches.next()
        >>> while images is not None:
        ...     steps += 1
        ...     images, labels = batches.next()
        >>> steps == len(loader)
        True
        """
        if self._running is None or self._called is None:
            self._called = iter(self)
        parts = next(self._called, self._nothing)
        self._nothing = (None,) * len(parts)
        return parts

    def state_dict(self) -> Dict[str, Any]:
        """The state that load_state_dict() resumes: the loader's when it handed out the
        batch that was taken last."""
        return dict(self._state)

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """As Loader.load_state_dict()."""
        self.close()
        self.loader.load_state_dict(state)
        self._state = self.loader.state_dict()

    def set_epoch(self, epoch: int) -> None:
        """As Loader.set_epoch()."""
        self.close()
        self.loader.set_epoch(epoch)
        self._state = self.loader.state_dict()

    def close(self) -> None:
        """Ends the iteration, if there is one; for any thread. Tensors stay valid."""
        running, self._running = self._running, None
        if running is not None and running.is_here():
            running.stop()
            if not running.taken:  # as if it had not begun
                self.loader.load_state_dict(self._state)

    @shown
    def __repr__(self) -> str:
        return (
            f"<shardine.CudaPrefetcher to {self.device}, {self._depth} batches in "
            f"advance, of {self.loader!r}>"
        )

    def _deliver(self) -> Iterator[Tuple[Any, ...]]:
        self.close()
        self._running = running = _Running(self)
        try:
            while (item := running.next()) is not None:
                if item.ready is not None:
                    self._await(item)
                self._state = item.state
                yield item.parts
        finally:
            if self._running is running:
                self.close()

    def _await(self, item: _Item) -> None:
        """The consumer's stream waits for the copies, the processor does not; and
        the memory is not given to others before that stream is done with it."""
        stream = torch.cuda.current_stream(self.device)
        stream.wait_event(item.ready)
        for tensor in _tensors(item.parts):
            tensor.record_stream(stream)

    def _on_stream(self) -> AbstractContextManager[Any]:
        stream = self._stream
        context: AbstractContextManager[Any]
        context = nullcontext() if stream is None else torch.cuda.stream(stream)
        return context

    def _make(self, batch: Any, state: Dict[str, Any]) -> _Item:
        images, targets, *mix = _parts(batch)
        with self._on_stream():
            parts = (
                _each(images, lambda view: self._normalized(_tensor(view))),
                *(
                    _each(part, lambda array: self._moved(_tensor(array)))
                    for part in (targets, *mix)
                ),
            )
            ready = None
            if self._stream is not None:
                ready = torch.cuda.Event()
                ready.record(self._stream)
        return _Item(parts, ready, state)

    def _normalized(self, images: Any) -> Any:
        # In images 3 pixels high or wide both axes look like channels.
        first, second = (3, 1) if self._is_nhwc else (1, 3)
        channels = [axis for axis in (first, second) if images.shape[axis:][:1] == (3,)]
        if images.ndim != 4 or images.dtype != torch.uint8 or not channels:
            raise TypeError(
                f"the loader's images are {images.dtype} of {tuple(images.shape)}, "
                "not uint8 of samples x 3 x height x width"
            )
        pixels = self._moved(images)
        if channels[0] == 3:
            pixels = pixels.permute(0, 3, 1, 2)
        values = pixels.to(torch.float32, memory_format=self._format, copy=True)
        return values.sub_(self._mean).div_(self._std).to(self._dtype)

    def _moved(self, tensor: Any) -> Any:
        if self._stream is None:
            return tensor.clone()
        # torch's own cache of pinned memory takes a piece back when the copy from
        # it is over.
        return tensor.pin_memory().to(self.device, non_blocking=True)


class _Running:
    """The thread of an iteration."""

    def __init__(self, prefetcher: CudaPrefetcher) -> None:
        self.taken = 0  # batches, by the consumer
        self._process = os.getpid()
        self._consumer = threading.current_thread()
        self._stopped = False
        self._batches = iter(prefetcher.loader)
        self._make = prefetcher._make
        self._state_of = prefetcher.loader.state_dict
        # None is the end of the epoch.
        self._items: queue.Queue[Union[_Item, BaseException, None]]
        self._items = queue.Queue(prefetcher._depth)
        self._thread = threading.Thread(target=self._run, name="prefetcher")
        self._thread.start()

    def is_here(self) -> bool:
        """False in a process forked off: the thread stayed in the other one."""
        return self._process == os.getpid()

    def next(self) -> Optional[_Item]:
        if not self.is_here():
            raise RuntimeError(
                "this iteration is of another process: make a loader in each"
            )
        self._consumer = threading.current_thread()
        item = self._items.get()
        if isinstance(item, BaseException):
            raise item
        self.taken += item is not None
        return item

    def stop(self) -> None:
        """Returns when the thread has left the loader alone."""
        self._stopped = True
        self._thread.join()
        # A holder of the iteration, or a thread that waits for its batch, gets an
        # error.
        with contextlib.suppress(queue.Empty):
            while True:
                self._items.get_nowait()
        self._items.put(
            RuntimeError(
                "this iteration is over: the loader was moved, or iterated anew"
            )
        )

    def _run(self) -> None:
        try:
            for batch in self._batches:
                if not self._put(self._make(batch, self._state_of())):
                    return
            self._put(None)
        except BaseException as failure:  # the consumer's, whatever it is
            self._put(failure)

    def _put(self, item: Union[_Item, BaseException, None]) -> bool:
        """False when no consumer wants it."""
        while not self._stopped and self._is_awaited():
            try:
                self._items.put(item, timeout=0.05)
                return True
            except queue.Full:
                pass
        return False

    def _is_awaited(self) -> bool:
        """Whether a consumer may still take a batch. At its end the interpreter waits
        for this thread, and for a consumer that is no daemon, as that trains on."""
        if threading.main_thread().is_alive():
            return True
        return self._consumer.is_alive() and not self._consumer.daemon


def _parts(batch: Any) -> Tuple[Any, ...]:
    """The parts of a batch that the loader, or its callback, delivers."""
    try:
        images, targets, *mix = batch
    except (TypeError, ValueError):
        mix = [None]
    if len(mix) > 1 or not all(isinstance(each, MixFactors) for each in mix):
        raise TypeError(
            f"the loader's batches, or what its callback= returns, are {type(batch)}, "
            "not (images, targets) or (images, targets, mix)"
        )
    return (images, targets, *mix)


def _device(device: Union[None, str, torch.device]) -> torch.device:
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"device: {device!r} is no device of torch: {error}") from None
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"device: {chosen}: torch finds no CUDA device here")
    if chosen.type == "cuda" and chosen.index is None:
        chosen = torch.device("cuda", torch.cuda.current_device())
    if chosen.type not in ("cuda", "cpu"):
        raise ValueError(f"device: {chosen} is neither of CUDA nor the CPU")
    return chosen


def _each(part: Any, make: Callable[[Any], Any]) -> Any:
    """The result for an array; for a tuple, a tuple of its kind of the results."""
    if not isinstance(part, tuple):
        return make(part)
    made = [make(each) for each in part]
    return part._make(made) if hasattr(part, "_make") else tuple(made)


def _tensors(part: Any) -> Iterator[Any]:
    if not isinstance(part, tuple):
        yield part
        return
    for each in part:
        yield from _tensors(each)


def _tensor(array: Any) -> Any:
    """Over the same memory, of NumPy's array or as it is."""
    if isinstance(array, numpy.ndarray):
        return torch.from_numpy(array)
    if isinstance(array, torch.Tensor):
        return array
    raise TypeError(f"the loader's batches have {type(array)}, not pixels and labels")
