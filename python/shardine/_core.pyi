"""What shardine is made of; use the package shardine instead."""

from collections.abc import Iterator, Sequence
from typing import Any

import shardine.mixing
import shardine.plots


version: str = '0.1.0'

class RandomResizedCrop:
    def __init__(self, width: int, height: int, min_scale: float, max_scale: float, min_ratio: float, max_ratio: float, flip: float) -> None: ...

class CenterCrop:
    def __init__(self, width: int, height: int, resize: int) -> None: ...

class Resize:
    def __init__(self, width: int, height: int) -> None: ...

class FixedCrop:
    def __init__(self, x: int, y: int, box_width: int, box_height: int, width: int, height: int) -> None: ...

class RandomCrop:
    def __init__(self, width: int, height: int, padding: Sequence[int], pad_if_needed: bool, fill: Sequence[int]) -> None: ...

class RandomHorizontalFlip:
    def __init__(self, probability: float) -> None: ...

class RandomVerticalFlip:
    def __init__(self, probability: float) -> None: ...

class ColorJitter:
    def __init__(self, brightness: Sequence[float], contrast: Sequence[float], saturation: Sequence[float], hue: Sequence[float], probability: float) -> None: ...

class RandomGrayscale:
    def __init__(self, probability: float) -> None: ...

class RandomInvert:
    def __init__(self, probability: float) -> None: ...

class RandomPosterize:
    def __init__(self, bits: int, probability: float) -> None: ...

class RandomSolarize:
    def __init__(self, threshold: float, probability: float) -> None: ...

class RandomAutocontrast:
    def __init__(self, probability: float) -> None: ...

class RandomEqualize:
    def __init__(self, probability: float) -> None: ...

class RandomAdjustSharpness:
    def __init__(self, factor: float, probability: float) -> None: ...

class GaussianBlur:
    def __init__(self, kernel_width: int, kernel_height: int, sigma: Sequence[float], probability: float) -> None: ...

class RandomErasing:
    def __init__(self, probability: float, scale: Sequence[float], ratio: Sequence[float], value: Sequence[int]) -> None: ...

class Cutout:
    def __init__(self, side: int, value: Sequence[int], probability: float) -> None: ...

class Lighting:
    def __init__(self, deviation: float, probability: float) -> None: ...

class Affine:
    def __init__(self, angle: float, translate: Sequence[int], scale: float, shear: Sequence[float], interpolation: str, fill: Sequence[int] | None, probability: float) -> None: ...

class RandomAffine:
    def __init__(self, degrees: Sequence[float], translate: Sequence[float], scale: Sequence[float], shear_x: Sequence[float], shear_y: Sequence[float], interpolation: str, fill: Sequence[int] | None, probability: float) -> None: ...

class RandomRotation:
    def __init__(self, degrees: Sequence[float], interpolation: str, fill: Sequence[int] | None, probability: float) -> None: ...

class TrivialAugmentWide:
    def __init__(self, num_magnitude_bins: int, interpolation: str, fill: Sequence[int] | None) -> None: ...

    def drawn(self, sample: int, width: int, height: int, seed: int, epoch: int, operation: int, repetition: int) -> list[tuple[str, float]]: ...

class RandAugment:
    def __init__(self, num_ops: int, magnitude: int, num_magnitude_bins: int, interpolation: str, fill: Sequence[int] | None) -> None: ...

    def drawn(self, sample: int, width: int, height: int, seed: int, epoch: int, operation: int, repetition: int) -> list[tuple[str, float]]: ...

class AutoAugment:
    def __init__(self, policy: str, interpolation: str, fill: Sequence[int] | None) -> None: ...

    def drawn(self, sample: int, width: int, height: int, seed: int, epoch: int, operation: int, repetition: int) -> list[tuple[str, float]]: ...

class MixUp:
    def __init__(self, alpha: float, probability: float) -> None: ...

class CutMix:
    def __init__(self, alpha: float, probability: float) -> None: ...

class RepeatedSampling:
    def __init__(self, times: int, samples: int) -> None: ...

class ClassBalancedSampling:
    def __init__(self, samples: int, replacement: bool) -> None: ...

class ClassWeightedSampling:
    def __init__(self, weights: Sequence[tuple[int, float]], samples: int, replacement: bool) -> None: ...

class WeightedSampling:
    def __init__(self, weights: Sequence[float], samples: int, replacement: bool) -> None: ...

class MixedSampling:
    def __init__(self, sizes: Sequence[int], weights: Sequence[float], samples: int) -> None: ...

class EpisodeSampling:
    def __init__(self, way: int, shot: int, query: int, episodes: int) -> None: ...

class ImageRecordCrop:
    def __init__(self, width: int, height: int) -> None: ...

    @property
    def resize(self) -> int: ...

    @resize.setter
    def resize(self, arg: int, /) -> None: ...

    @property
    def shear(self) -> list[float]: ...

    @shear.setter
    def shear(self, arg: Sequence[float], /) -> None: ...

    @property
    def angle(self) -> list[int]: ...

    @angle.setter
    def angle(self, arg: Sequence[int], /) -> None: ...

    @property
    def angles(self) -> list[int]: ...

    @angles.setter
    def angles(self, arg: Sequence[int], /) -> None: ...

    @property
    def scale(self) -> list[float]: ...

    @scale.setter
    def scale(self, arg: Sequence[float], /) -> None: ...

    @property
    def aspect(self) -> list[float]: ...

    @aspect.setter
    def aspect(self, arg: Sequence[float], /) -> None: ...

    @property
    def side(self) -> list[float]: ...

    @side.setter
    def side(self, arg: Sequence[float], /) -> None: ...

    @property
    def pad(self) -> int: ...

    @pad.setter
    def pad(self, arg: int, /) -> None: ...

    @property
    def fill(self) -> int: ...

    @fill.setter
    def fill(self, arg: int, /) -> None: ...

    @property
    def random_place(self) -> bool: ...

    @random_place.setter
    def random_place(self, arg: bool, /) -> None: ...

    @property
    def crop_size(self) -> list[int]: ...

    @crop_size.setter
    def crop_size(self, arg: Sequence[int], /) -> None: ...

    @property
    def resized_crop(self) -> bool: ...

    @resized_crop.setter
    def resized_crop(self, arg: bool, /) -> None: ...

    @property
    def area(self) -> list[float]: ...

    @area.setter
    def area(self, arg: Sequence[float], /) -> None: ...

    @property
    def interpolation(self) -> str: ...

    @interpolation.setter
    def interpolation(self, arg: str, /) -> None: ...

class ImageRecordJitter:
    def __init__(self, brightness: Sequence[float], contrast: Sequence[float], saturation: Sequence[float]) -> None: ...

class RandomHls:
    def __init__(self, h: Sequence[int], s: Sequence[int], l: Sequence[int]) -> None: ...

class PcaNoise:
    def __init__(self, deviation: float) -> None: ...

class ImageRecordNormalize:
    def __init__(self, mean: Sequence[float], std: Sequence[float], scale: float, max_contrast: float, max_illumination: float, mean_image: Sequence[float] | None) -> None: ...

def set_remote_options(prefix: bytes, options: dict) -> None: ...

def add_remote_options(prefix: bytes, options: dict) -> None: ...

def remote_options(path: bytes) -> dict: ...

class StageStats:
    """
    Sums over the threads of a stage; in seconds.

    name: "read", "decode" or "deliver". items, bytes: that went through it. busy,
    waiting_for_input, waiting_for_output: what its threads did. p50, p95, p99: what an
    item took at most, for that share of the items.

    >>> import shardine
    >>> loader = shardine.Loader("data", batch_size=8, raw=True)
    >>> sum(1 for batch in loader)
    3
    >>> stage = loader.stats().stages[0]
    >>> stage.name, stage.items >= 24, stage.bytes > 0, stage.p50 <= stage.p95 <= stage.p99
    ('read', True, True, True)
    >>> min(stage.busy, stage.waiting_for_input, stage.waiting_for_output) >= 0
    True
    """

    @property
    def name(self) -> str: ...

    @property
    def items(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def busy(self) -> float: ...

    @property
    def waiting_for_input(self) -> float: ...

    @property
    def waiting_for_output(self) -> float: ...

    @property
    def p50(self) -> float: ...

    @property
    def p95(self) -> float: ...

    @property
    def p99(self) -> float: ...

    def __repr__(self) -> str: ...

class RemoteStats:
    """
    What this process asked of servers, and what failed.

    Of all that the process read since it began or was forked, by whatever loader: they
    share connections and limits. All zero where nothing was read from a server.
    requests, tries (with those sent twice), bytes, bytes_used (that were asked for; the
    rest lay between). under_way, most_under_way: tries, now and at any time. first_byte_
    and whole_, p50, p95 and p99: seconds that the last 4,096 good answers took.
    failed_tries: how many by why ("503", "stalled", "wrong answer", "changed", "ended
    early", "connection"). hedges, hedges_won: second requests for what was late.
    asked_again: payloads that came wrong by their CRC. connections_made,
    connections_reused, credentials_fetched. cache_hits, cache_hit_bytes, cache_misses:
    reads of shards that a cache with a size answered, and those it could not.

    >>> import shardine
    >>> loader = shardine.Loader("data", batch_size=8, raw=True)
    >>> remote = loader.stats().remote
    >>> remote.requests <= remote.tries and remote.bytes_used <= remote.bytes
    True
    >>> remote.under_way <= remote.most_under_way, isinstance(remote.failed_tries, dict)
    (True, True)
    >>> remote.first_byte_p50 <= remote.first_byte_p95 <= remote.first_byte_p99
    True
    >>> remote.whole_p50 <= remote.whole_p95 <= remote.whole_p99
    True
    >>> remote.hedges_won <= remote.hedges, remote.asked_again, remote.credentials_fetched
    (True, 0, 0)
    >>> remote.connections_made + remote.connections_reused <= remote.tries
    True
    >>> remote.cache_hits, remote.cache_hit_bytes, remote.cache_misses  # of local files
    (0, 0, 0)
    """

    @property
    def requests(self) -> int: ...

    @property
    def tries(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def bytes_used(self) -> int: ...

    @property
    def under_way(self) -> int: ...

    @property
    def most_under_way(self) -> int: ...

    @property
    def first_byte_p50(self) -> float: ...

    @property
    def first_byte_p95(self) -> float: ...

    @property
    def first_byte_p99(self) -> float: ...

    @property
    def whole_p50(self) -> float: ...

    @property
    def whole_p95(self) -> float: ...

    @property
    def whole_p99(self) -> float: ...

    @property
    def failed_tries(self) -> dict[str, int]: ...

    @property
    def hedges(self) -> int: ...

    @property
    def hedges_won(self) -> int: ...

    @property
    def asked_again(self) -> int: ...

    @property
    def connections_made(self) -> int: ...

    @property
    def connections_reused(self) -> int: ...

    @property
    def credentials_fetched(self) -> int: ...

    @property
    def cache_hits(self) -> int: ...

    @property
    def cache_hit_bytes(self) -> int: ...

    @property
    def cache_misses(self) -> int: ...

class LoaderStats:
    """
    What each stage did and waited for.

    seconds: since the first batch was asked for; of `waiting_for_data` of them, 0 to 1,
    the consumer waited. batches, images, bytes: delivered, and read. bad: gray or
    dropped. unsupported: left out, as their kind is not decoded. refused_entry_points:
    images that were decoded without theirs. bottleneck: in words, and what it waits
    for. remote: a RemoteStats, of the whole process.

    >>> import shardine
    >>> loader = shardine.Loader("data", batch_size=8, transform=shardine.CenterCrop(64))
    >>> sum(1 for batch in loader)
    3
    >>> stats = loader.stats()
    >>> stats.batches, stats.images, stats.bad, stats.unsupported
    (3, 24, 0, 0)
    >>> stats.refused_entry_points
    0
    >>> [stage.name for stage in stats.stages]
    ['read', 'decode', 'deliver']
    >>> stats.seconds > 0 and stats.bytes > 0 and 0 <= stats.waiting_for_data <= 1
    True
    >>> stats.images_per_second > 0 and stats.megabytes_per_second > 0
    True
    >>> "bottleneck" in stats.bottleneck
    True
    >>> stats.remote.asked_again  # of payloads, on servers
    0
    >>> stats.plot().svg.count("bottleneck")  # a notebook shows the image
    1
    """

    @property
    def seconds(self) -> float: ...

    @property
    def batches(self) -> int: ...

    @property
    def images(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def bad(self) -> int: ...

    @property
    def unsupported(self) -> int: ...

    @property
    def refused_entry_points(self) -> int: ...

    @property
    def waiting_for_data(self) -> float: ...

    @property
    def stages(self) -> list[StageStats]: ...

    @property
    def remote(self) -> RemoteStats: ...

    @property
    def images_per_second(self) -> float: ...

    @property
    def megabytes_per_second(self) -> float: ...

    @property
    def bottleneck(self) -> str: ...

    def __repr__(self) -> str: ...

    def plot(self) -> shardine.plots.Plot:
        """The rate, the work and the waits of each stage over time."""

def plot_svg(stats: LoaderStats) -> str: ...

def write_plot(path: bytes, stats: LoaderStats) -> None: ...

class FieldRoles:
    def __init__(self, image: str, label: str, key: str, one_hot: bool, fields: Sequence[str] | None) -> None: ...

class DatasetOptions:
    def __init__(self, split: str, variant: str, labels: bytes, labels_by: str, labels_for_all: bool, cache: bytes, cache_bytes: int, text_fields: Sequence[str], compact_labels: Sequence[int], roles: FieldRoles) -> None: ...

class DatasetClass:
    @property
    def name(self) -> bytes: ...

    @property
    def label(self) -> int: ...

class Dataset:
    @staticmethod
    def open(path: bytes, options: DatasetOptions) -> Dataset: ...

    @staticmethod
    def open_shards(shards: Sequence[bytes], options: DatasetOptions) -> Dataset: ...

    @staticmethod
    def concatenate(datasets: Sequence[Dataset]) -> Dataset: ...

    def __len__(self) -> int: ...

    def read(self, position: int) -> tuple: ...

    def read_many(self, positions: Sequence[int]) -> list: ...

    def key(self, position: int) -> str: ...

    def keys(self, first: int, count: int) -> list[str]: ...

    def labels(self, first: int, count: int) -> list[tuple]: ...

    def where(self, condition: str) -> list[int]: ...

    @property
    def split(self) -> str: ...

    @property
    def variant(self) -> str: ...

    @property
    def text_fields(self) -> list[str]: ...

    @property
    def classes(self) -> list[DatasetClass]: ...

    @property
    def order_digest(self) -> str: ...

    @property
    def indexes(self) -> list[bytes]: ...

    @property
    def warnings(self) -> list[str]: ...

class Record:
    pass

class Batch:
    """
    Samples of one step, in memory that stays valid as long as the batch or an array of it lives: NumPy arrays, or tensors where the loader has arrays="torch". `images, labels = batch` are batch.images and batch.targets; len() is the number of samples.

    >>> import shardine
    >>> loader = shardine.Loader("data", batch_size=8, fields=["image"],
    ...                          transform=shardine.CenterCrop(64))
    >>> batch = next(iter(loader))
    >>> len(batch), batch.images.shape, batch.labels.shape, batch.boxes.shape
    (8, (8, 3, 64, 64), (8,), (8, 5))
    >>> batch.keys[0] == loader.dataset.key(int(batch.positions[0]))
    True
    >>> batch.key_bytes[0].decode() == batch.keys[0], batch.ids.dtype
    (True, dtype('int64'))
    >>> len(batch.fields["image"]), sum(batch.bad.tolist()), batch.padding, batch.epoch
    (8, 0, 0, 0)
    >>> sum(batch.repetitions.tolist())  # without sampling
    0
    >>> [view.shape for view in batch.views], batch.view_boxes[0].shape
    ([(8, 3, 64, 64)], (8, 5))
    >>> batch.targets.shape, batch.mix, batch.mixed_labels
    ((8,), None, None)
    """

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator:
        """
        Unpacks as images, targets, which are labels unless the loader has mix or one_hot; where it has views=[...] as views, targets; with mix_apply=False as images, targets, mix.
        """

    @property
    def images(self) -> Any:
        """
        The pixels, as layout and dtype of the loader say; with raw=True the loader's field `image`: a list of memoryviews, one for each image, or arrays; without either that field if it is among `fields`, or None.
        """

    @property
    def views(self) -> tuple[Any, ...]:
        """
        The pixels of each view, of which `images` are the first; none with raw=True.
        """

    @property
    def fields(self) -> dict[str, Any]:
        """
        The fields that were asked for: an array each, or a list of memoryviews where they are bytes; arrays that are ragged as the loader's `ragged` says. With views=[...] a field that follows the image is a tuple of one for each view.
        """

    @property
    def labels(self) -> Any:
        """
        One for each sample, or a row of them: n x labels, n x 0 without any; of label_dtype.
        """

    @property
    def targets(self) -> Any:
        """
        What is trained towards: labels; where the loader has mix, mixed_labels; where it has one_hot, float32, n x classes: the shares of all classes, mixed where it has mix.
        """

    @property
    def mixed_labels(self) -> shardine.mixing.MixedLabels | None:
        """The labels as weighted pairs; None without mix."""

    @property
    def mix(self) -> shardine.mixing.MixFactors | None:
        """
        What each image is mixed of, or with mix_apply=False is to be; None without mix.
        """

    @property
    def ids(self) -> Any:
        """int64."""

    @property
    def positions(self) -> Any:
        """int64: where in the dataset, as dataset[position]."""

    @property
    def repetitions(self) -> Any:
        """
        int64: of a sample that comes several times an epoch (Loader(sampling=...)), which time this is: a number that no other of them has, and by which draws differ; else 0.
        """

    @property
    def boxes(self) -> Any:
        """
        int32, n x 5: x, y, width, height of the part that was used, in pixels of the image, and how it was flipped: 0 not, 1 from left to right, 2 upside down, 3 both. The part is all that was resampled: of CenterCrop with resize= and of RectVal the whole image, whose middle is cut afterwards. 0 x 5 with raw=True.
        """

    @property
    def view_boxes(self) -> tuple[Any, ...]:
        """Such boxes of each view."""

    @property
    def bad(self) -> Any:
        """bool: gray because it could not be read or decoded."""

    @property
    def keys(self) -> list[str]:
        """Read when asked for; bytes that are not UTF-8 stand as surrogates."""

    @property
    def key_bytes(self) -> list[bytes]:
        """The same, byte for byte."""

    def __repr__(self) -> str: ...

    @property
    def padding(self) -> int:
        """So many samples at the end were delivered before; of last_batch="pad"."""

    @property
    def epoch(self) -> int: ...

class LoaderOptions:
    def __init__(self) -> None: ...

    @property
    def batch_size(self) -> int: ...

    @batch_size.setter
    def batch_size(self, arg: int, /) -> None: ...

    @property
    def order(self) -> str: ...

    @order.setter
    def order(self, arg: str, /) -> None: ...

    @property
    def block(self) -> int: ...

    @block.setter
    def block(self, arg: int, /) -> None: ...

    @property
    def window(self) -> int: ...

    @window.setter
    def window(self, arg: int, /) -> None: ...

    @property
    def nodes(self) -> int: ...

    @nodes.setter
    def nodes(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def rank(self) -> int: ...

    @rank.setter
    def rank(self, arg: int, /) -> None: ...

    @property
    def world(self) -> int: ...

    @world.setter
    def world(self, arg: int, /) -> None: ...

    def set_positions(self, values: Sequence[int]) -> None: ...

    def set_buckets(self, values: Sequence[Sequence[int]]) -> None: ...

    @property
    def sampling(self) -> RepeatedSampling | ClassBalancedSampling | ClassWeightedSampling | WeightedSampling | MixedSampling | EpisodeSampling: ...

    @sampling.setter
    def sampling(self, arg: RepeatedSampling | ClassBalancedSampling | ClassWeightedSampling | WeightedSampling | MixedSampling | EpisodeSampling, /) -> None: ...

    @property
    def last_batch(self) -> str: ...

    @last_batch.setter
    def last_batch(self, arg: str, /) -> None: ...

    @property
    def transform(self) -> RandomResizedCrop | CenterCrop | Resize | FixedCrop | RandomCrop | ImageRecordCrop | None: ...

    @transform.setter
    def transform(self, value: RandomResizedCrop | CenterCrop | Resize | FixedCrop | RandomCrop | ImageRecordCrop | None) -> None: ...

    def set_operations(self, values: Sequence[RandomHorizontalFlip | RandomVerticalFlip | ColorJitter | RandomGrayscale | RandomInvert | RandomPosterize | RandomSolarize | RandomAutocontrast | RandomEqualize | RandomAdjustSharpness | GaussianBlur | RandomErasing | Cutout | Lighting | Affine | RandomAffine | RandomRotation | TrivialAugmentWide | RandAugment | AutoAugment | ImageRecordJitter | RandomHls | PcaNoise | ImageRecordNormalize]) -> None: ...

    def add_view(self, geometry: RandomResizedCrop | CenterCrop | Resize | FixedCrop | RandomCrop | ImageRecordCrop, operations: Sequence[RandomHorizontalFlip | RandomVerticalFlip | ColorJitter | RandomGrayscale | RandomInvert | RandomPosterize | RandomSolarize | RandomAutocontrast | RandomEqualize | RandomAdjustSharpness | GaussianBlur | RandomErasing | Cutout | Lighting | Affine | RandomAffine | RandomRotation | TrivialAugmentWide | RandAugment | AutoAugment | ImageRecordJitter | RandomHls | PcaNoise | ImageRecordNormalize]) -> None: ...

    @property
    def has_views(self) -> bool: ...

    @has_views.setter
    def has_views(self, arg: bool, /) -> None: ...

    @property
    def image(self) -> str: ...

    @image.setter
    def image(self, arg: str, /) -> None: ...

    @property
    def image_layout(self) -> str: ...

    @image_layout.setter
    def image_layout(self, arg: str, /) -> None: ...

    @property
    def fields(self) -> list[str]: ...

    @fields.setter
    def fields(self, arg: Sequence[str], /) -> None: ...

    @property
    def layout(self) -> str: ...

    @layout.setter
    def layout(self, arg: str, /) -> None: ...

    @property
    def dtype(self) -> str: ...

    @dtype.setter
    def dtype(self, arg: str, /) -> None: ...

    @property
    def mean(self) -> list[float]: ...

    @mean.setter
    def mean(self, arg: Sequence[float], /) -> None: ...

    @property
    def std(self) -> list[float]: ...

    @std.setter
    def std(self, arg: Sequence[float], /) -> None: ...

    @property
    def filter(self) -> str: ...

    @filter.setter
    def filter(self, arg: str, /) -> None: ...

    @property
    def apply_exif(self) -> bool: ...

    @apply_exif.setter
    def apply_exif(self, arg: bool, /) -> None: ...

    @property
    def gray(self) -> bool: ...

    @gray.setter
    def gray(self, arg: bool, /) -> None: ...

    @property
    def shown_as(self) -> object: ...

    @shown_as.setter
    def shown_as(self, value: object | None) -> None: ...

    @property
    def label_dtype(self) -> str | None: ...

    @label_dtype.setter
    def label_dtype(self, value: str | None) -> None: ...

    @property
    def ragged(self) -> str | None: ...

    @ragged.setter
    def ragged(self, value: str | None) -> None: ...

    @property
    def text(self) -> list[str]: ...

    @text.setter
    def text(self, arg: Sequence[str], /) -> None: ...

    @property
    def mix(self) -> list[MixUp | CutMix]: ...

    @mix.setter
    def mix(self, arg: Sequence[MixUp | CutMix], /) -> None: ...

    @property
    def mix_per(self) -> str: ...

    @mix_per.setter
    def mix_per(self, arg: str, /) -> None: ...

    @property
    def mix_apply(self) -> bool: ...

    @mix_apply.setter
    def mix_apply(self, arg: bool, /) -> None: ...

    @property
    def one_hot(self) -> int: ...

    @one_hot.setter
    def one_hot(self, arg: int, /) -> None: ...

    @property
    def label_smoothing(self) -> float: ...

    @label_smoothing.setter
    def label_smoothing(self, arg: float, /) -> None: ...

    @property
    def on_bad(self) -> str: ...

    @on_bad.setter
    def on_bad(self, arg: str, /) -> None: ...

    @property
    def unsupported(self) -> str: ...

    @unsupported.setter
    def unsupported(self, arg: str, /) -> None: ...

    @property
    def entry_points(self) -> str: ...

    @entry_points.setter
    def entry_points(self, arg: str, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def readers(self) -> int: ...

    @readers.setter
    def readers(self, arg: int, /) -> None: ...

    @property
    def prefetch(self) -> int: ...

    @prefetch.setter
    def prefetch(self, arg: int, /) -> None: ...

    @property
    def fetch_bytes(self) -> int: ...

    @fetch_bytes.setter
    def fetch_bytes(self, arg: int, /) -> None: ...

    def add_follow(self, name: str, kind: str, boxes: str) -> None: ...

    @property
    def mask_fill(self) -> float: ...

    @mask_fill.setter
    def mask_fill(self, arg: float, /) -> None: ...

    @property
    def min_visible(self) -> float: ...

    @min_visible.setter
    def min_visible(self, arg: float, /) -> None: ...

    @property
    def pad_to(self) -> int: ...

    @pad_to.setter
    def pad_to(self, arg: int, /) -> None: ...

    @property
    def fields_stay(self) -> bool: ...

    @fields_stay.setter
    def fields_stay(self, arg: bool, /) -> None: ...

    @property
    def synthetic(self) -> bool: ...

    @synthetic.setter
    def synthetic(self, arg: bool, /) -> None: ...

    @property
    def trace_events(self) -> int: ...

    @trace_events.setter
    def trace_events(self, arg: int, /) -> None: ...

class Loader:
    def __init__(self, dataset: Dataset, options: LoaderOptions) -> None: ...

    def next(self) -> Batch | None: ...

    def begin_iteration(self) -> None: ...

    def set_epoch(self, epoch: int) -> None: ...

    def set_state(self, order_digest: str, seed: int, epoch: int, position: int, nodes: int = 1, node_samples: int = 0, order: str = '', bucket_samples: Sequence[int] = []) -> None: ...

    def state(self) -> dict: ...

    def stop(self) -> None: ...

    def write_trace(self, path: bytes) -> None: ...

    def stats(self) -> LoaderStats: ...

    @property
    def buckets(self) -> list[tuple[int, int, int]]: ...

    @property
    def steps(self) -> int: ...

    @property
    def steps_left(self) -> int: ...

    @property
    def epoch(self) -> int: ...

class Keep:
    def __init__(self, options: dict, tell: object | None, split: str, rank: int, world: int) -> None: ...

    def dataset(self) -> Dataset: ...

    def check(self) -> None: ...

    def finish(self, seconds: float) -> bool: ...

    def stop(self) -> None: ...

    @property
    def complete(self) -> bool: ...

class ScheduledPhase:
    @property
    def first_epoch(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def batch_size(self) -> int: ...

    @property
    def train_suffix(self) -> str: ...

    @property
    def validation_suffix(self) -> str: ...

    @property
    def min_scale(self) -> float: ...

    @property
    def rectangular(self) -> bool: ...

    @property
    def only_batch_changes(self) -> bool: ...

def parse_phases(json: str) -> list[ScheduledPhase]: ...

class WriterOptions:
    def __init__(self, output: bytes, format: str) -> None: ...

    @property
    def shard_bytes(self) -> int: ...

    @shard_bytes.setter
    def shard_bytes(self, arg: int, /) -> None: ...

    @property
    def shard_samples(self) -> int: ...

    @shard_samples.setter
    def shard_samples(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def part(self) -> int: ...

    @part.setter
    def part(self, arg: int, /) -> None: ...

    @property
    def parts(self) -> int: ...

    @parts.setter
    def parts(self, arg: int, /) -> None: ...

    @property
    def replace(self) -> bool: ...

    @replace.setter
    def replace(self, arg: bool, /) -> None: ...

    @property
    def lossy_labels(self) -> bool: ...

    @lossy_labels.setter
    def lossy_labels(self, arg: bool, /) -> None: ...

    def add_class(self, name: bytes, label: int, text: bytes) -> None: ...

    def set_words(self, check: str, entry_points: str, on_bad: str) -> None: ...

class Writer:
    def __init__(self, options: WriterOptions) -> None: ...

    def append(self, key: bytes | None, id: int | None, labels: list, fields: list, split: str) -> None: ...

    def finish(self) -> dict[str, Any]: ...

    def close(self) -> None: ...

    @property
    def can_finish(self) -> bool: ...

    @property
    def samples(self) -> int: ...

def resize_tree(options: dict, tell: object | None) -> object: ...

def resize_shards(options: dict, tell: object | None) -> object: ...

def pack(options: dict, tell: object | None) -> object: ...

def plan_pack(options: dict, tell: object | None) -> object: ...

def described_options() -> dict: ...

def merge(options: dict, tell: object | None) -> object: ...

def join(options: dict, tell: object | None) -> object: ...

def relabel(options: dict, tell: object | None) -> object: ...

def reindex(options: dict, tell: object | None) -> object: ...

def native_index(options: dict) -> object: ...

def convert(options: dict, tell: object | None) -> object: ...

def index(options: dict, tell: object | None) -> object: ...

def audit(options: dict, tell: object | None) -> object: ...

def card(options: dict, tell: object | None) -> object: ...

def diff(options: dict, tell: object | None) -> object: ...

def report(options: dict, tell: object | None) -> object: ...

def scan(options: dict, tell: object | None) -> object: ...

def verify(options: dict, tell: object | None) -> object: ...

def extract(options: dict, tell: object | None) -> object: ...

def cat(options: dict) -> list: ...

def expand(options: dict) -> list: ...

class ListedSamples:
    def __iter__(self) -> object: ...

    def __next__(self) -> object: ...

def info(options: dict) -> object: ...

def ls(options: dict) -> ListedSamples: ...

def doctor(options: dict, tell: object | None) -> object: ...

def machine() -> object: ...
