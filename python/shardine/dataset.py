"""The samples of one split, by position."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterable, Mapping, Set
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    Union,
    cast,
)

from . import _core
from .arguments import (
    explained,
    flag,
    path as as_path,
    shown,
    size,
    text as as_text,
    texts,
)
from .dataset_results import DatasetInfo
from .errors import NotFoundError
from .looking import dataset_page, shown_path
from .pictures import picture
from .sample import Sample, field_of, key_bytes_of
from .selection import SelectedLabels, Selection, Wanted, selected
from .server_options import remote_options, set_storage_options
from .pixel_operations import PixelOperation
from .together import makes_own, one_by_one
from .torch_types import Form, torch_samples
from .transforms import Transform
from .verb_options import By, Size

if TYPE_CHECKING:
    from .torch_samples import TorchSamples

Path = Union[str, "os.PathLike[str]", bytes]
_Target = Union[int, float]
_TOGETHER = 4096  # samples whose labels and keys are read in one call
# Other programs' names, and ours for them.
_ELSEWHERE = {
    "root": "path",
    "shuffle": "torch's DataLoader's, or Loader(order=...)",
    "drop_last": "torch's DataLoader's, or Loader(last_batch=...)",
    "num_workers": "torch's DataLoader's, or Loader(threads=...)",
    "batch_size": "torch's DataLoader's, or Loader(batch_size=...)",
    "train": 'split="train" or split="val"',
    "subset": "split",
    "decoder": "transform or decode",
    "loader": "decode",
}


class Dataset:
    """A sequence of samples: dataset[3], dataset[-1], len(dataset).

    >>> import shardine
    >>> dataset = shardine.Dataset("data")
    >>> dataset[3].key == dataset.key(3), dataset.position(dataset.key(3))
    (True, 3)
    >>> len(dataset), len(dataset[0:10]), dataset[-1].id == dataset[23].id
    (24, 10, True)
    >>> dataset.classes, dataset.class_to_idx["house"]
    (['boat', 'house', 'tree'], 1)
    >>> dataset.labels[0] == (dataset.targets[0],) == dataset[0].labels
    True
    >>> dataset.samples[5] == (dataset.keys[5], dataset.targets[5])
    True
    >>> dataset.path, dataset.split, dataset.splits, dataset.variant, dataset.variants
    ('data', 'train', ['train'], 'original', ['original', 'sz/160'])
    >>> dataset.text_fields  # photos alone have none
    []
    >>> len(dataset.order_digest), dataset.key_bytes(3).decode() == dataset.key(3)
    (32, True)
    >>> len(dataset.select("house")), len(dataset.select(lambda each: each.label < 2))
    (8, 16)
    >>> pairs = shardine.Dataset("data", decode=True)
    >>> image, target = pairs[3]
    >>> pairs.transform, pairs.target_transform
    (None, None)
    >>> pairs.gives_pairs, image.mode, target == pairs.sample(3).label
    (True, 'RGB', True)

    With decode=True, a transform or a target_transform it acts as torchvision's
    ImageFolder: items are (image, target), a PIL image in RGB or transform's result,
    and the sample's only label or target_transform's result. Where no sample has a
    label, and there is no target_transform, items are images alone; ValueError where
    one sample has no label or several. sample(position) is a Sample in any case.

    path: the folder of a dataset or its shardine.json, or its address as a text
    ("https://host/data"); or a shard file of any format that is in no dataset, or a list of them, which are then read through
    once. split: may be left out if there is one. variant: "original", "sz/160".
    labels: a list file (.lst, CSV, TSV, JSON) whose labels take the place of those packed.
    A row without a sample in any split is an error; samples without a row keep their
    labels, which a warning counts. labels_by: the column of a row that names the
    sample: "key", or the id of a sample that has none (the default); "id", whatever the
    key; "position": the id as the number of a sample, from 0. cache: for an address,
    the folder that caches its data, shared by any number of processes (default:
    ~/.cache/shardine/datasets); "off" for none. cache_size: its limit, such as "200G",
    samples among it (default: indexes alone are kept).
    text: names of fields of plain bytes that are text beside those that the dataset
    says, of one that was made before datasets said it: str then. UnsupportedError
    where a sample's bytes are not UTF-8.
    image, label, key: of shard files, the fields that are these: features of TFRecord,
    extensions ("input.jpg"), datasets of HDF5 ("train/x"), items of a dict or patterns
    of keys ("img-{n}") of LMDB; label="{folder}" is the folder in the key. A label's
    texts that are not all numbers become classes.
    one_hot: the label is a row of zeros with a single 1. fields: those that are kept.
    storage_options: a mapping of options that set_remote_options() has, set for this
    address if it opens; anon and client_kwargs are taken as s3fs has them. transform,
    target_transform: functions, which must be of a module where processes are to be
    spawned.

    Can be pickled, and used on both sides of a fork: it reopens its files where it has
    to.

    The cost of looking at a sample, in microseconds, measured on 100 photos of 113 kB
    on two busy cores, in the page cache, best of three runs (tests/bench/looking.py):

        labels, targets, keys             0.4   the indexes alone
        dataset.key(i)                     23   the index of one
        dataset[i], for s in dataset       75   reads, checks, decodes nothing
        sample.pil()                    2,700   and decodes with Pillow, each time
        sample.array                    3,300   and copies the pixels
        as_torch() and DataLoader       6,100   and makes tensors, 224 x 224
        the same with 2 workers         5,400   in processes
        for batch in loader               430   crops of 224 x 224: the fast way
        loader.as_tuples()                380   the same
    """

    _labels_for_all = False  # a sample that a list of labels lacks is an error
    _compact: Sequence[int] = ()  # labels that are 0, 1, 2, ... here

    @explained("Dataset", elsewhere=_ELSEWHERE)
    def __init__(
        self,
        path: Union[Path, Iterable[Path]],
        *,
        split: Optional[str] = None,
        variant: str = "original",
        labels: Optional[Path] = None,
        labels_by: By = "key",
        cache: Optional[Path] = None,
        cache_size: Optional[Size] = None,
        text: Sequence[str] = (),
        image: Optional[str] = None,
        label: Optional[str] = None,
        key: Optional[str] = None,
        one_hot: bool = False,
        fields: Optional[Sequence[str]] = None,
        storage_options: Optional[Mapping[str, Any]] = None,
        transform: Optional[Callable[[Any], Any]] = None,
        target_transform: Optional[Callable[[Any], Any]] = None,
        decode: bool = False,
    ) -> None:
        if isinstance(path, (str, bytes, os.PathLike)):
            self._path: Union[bytes, List[bytes]] = as_path("path", path)
        elif isinstance(path, Iterable) and not isinstance(path, (Mapping, Set)):
            self._path = [as_path("path", shard) for shard in path]
        else:
            raise TypeError(f"path: {path!r} is neither a path nor a list of them")
        self._split = "" if split is None else as_text("split", split)
        self._variant = as_text("variant", variant)
        self._labels = b"" if labels is None else as_path("labels", labels)
        self._labels_by = as_text("labels_by", labels_by)
        self._cache = b"" if cache is None else as_path("cache", cache)
        self._cache_bytes = 0 if cache_size is None else size("cache_size", cache_size)
        self._texts = texts("text", text)
        names = {"image": image, "label": label, "key": key}
        self._roles = {
            role: "" if name is None else as_text(role, name)
            for role, name in names.items()
        }
        self._one_hot = flag("one_hot", one_hot)
        self._fields = None if fields is None else texts("fields", fields)
        is_set = storage_options is not None and set_storage_options(
            self._address, storage_options
        )
        self._streamed = False  # by a Loader, which knows nothing of a transform
        self._transform = _function("transform", transform)
        self._target_transform = _function("target_transform", target_transform)
        self._decode = flag("decode", decode)
        try:
            self._open()
        except BaseException:
            if is_set:  # the next try may have others
                _core.set_remote_options(self._address, {})
            raise
        for warning in self._opened.warnings:
            if "by indexing" in warning:
                given = self.path if isinstance(self.path, list) else [self.path]
                shown = repr(given) if len(given) == 1 else "[...]"
                warning += f": shardine.index({shown}, 'DATASET')"
            warnings.warn(warning, stacklevel=3)

    @property
    def _address(self) -> bytes:
        if isinstance(self._path, list):
            return self._path[0] if self._path else b""
        return self._path

    def _open(self) -> None:
        options = _core.DatasetOptions(
            self._split,
            self._variant,
            self._labels,
            self._labels_by,
            self._labels_for_all,
            self._cache,
            self._cache_bytes,
            self._texts,
            self._compact,
            _core.FieldRoles(**self._roles, one_hot=self._one_hot, fields=self._fields),
        )
        if isinstance(self._path, list):
            self._take(_core.Dataset.open_shards(self._path, options))
        else:
            self._take(_core.Dataset.open(self._path, options))

    def _take(self, opened: _core.Dataset) -> None:
        self._opened = opened
        self._process = os.getpid()
        self._said_labels = False
        self._targets: Optional[List[_Target]] = None
        self._unlabelled: Optional[bool] = None  # of all samples, once it is known

    def _core(self) -> _core.Dataset:
        # A fork may have happened while other threads held its locks: then the
        # copy is not touched any more, not even to free it.
        if self._process != os.getpid():
            _abandoned.append(self._opened)
            self._open()
        return self._opened

    def __len__(self) -> int:
        return len(self._opened)

    @property
    def transform(self) -> Optional[Callable[[Any], Any]]:
        """The function of images that was given. It can be set until a Loader
        streams the dataset, whose own transform is another."""
        return self._transform

    @transform.setter
    def transform(self, value: Any) -> None:
        self._refuse_streamed("transform")
        self._transform = _function("transform", value)

    @property
    def target_transform(self) -> Optional[Callable[[Any], Any]]:
        """The function of targets that was given; set as `transform`."""
        return self._target_transform

    @target_transform.setter
    def target_transform(self, value: Any) -> None:
        self._refuse_streamed("target_transform")
        self._target_transform = _function("target_transform", value)

    def _refuse_streamed(self, name: str) -> None:
        if self._streamed:
            raise AttributeError(
                f"{name}: a Loader streams this dataset, and would not use it; give "
                "the Loader its transform="
            )

    @property
    def gives_pairs(self) -> bool:
        """Whether items are (image, target), and not Samples."""
        return (
            self._decode
            or self.transform is not None
            or self.target_transform is not None
        )

    def __getitem__(self, position: Union[int, slice]) -> Any:
        if isinstance(position, slice):
            return Selection(self, range(len(self))[position])
        sample = self.sample(position)
        return self._pair(sample) if self.gives_pairs else sample

    def __getitems__(self, positions: Sequence[int]) -> List[Any]:
        """The items at these positions. torch's DataLoader asks for a batch so: a
        server's samples are read together, in about the time of one."""
        if makes_own(self, Dataset):
            return [self[position] for position in positions]
        samples = self.samples_at(positions)
        return [self._pair(each) for each in samples] if self.gives_pairs else samples

    def _is_unlabelled(self) -> bool:
        if self._unlabelled is None:
            self._unlabelled = not any(self._in_runs(self._core().labels))
        return self._unlabelled

    def _pair(self, sample: Sample) -> Any:
        """(image, target), or the image alone where no sample has a label."""
        is_alone = (
            not sample.labels
            and self.target_transform is None
            and self._is_unlabelled()
        )
        target: Any = None if is_alone else _only(sample.labels, sample.key)
        # The shard of a list's samples is not known here.
        path = self.path if isinstance(self.path, str) else None
        image: Any = picture(sample.image, sample.key, path)
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image if is_alone else (image, target)

    def sample(self, position: int) -> Sample:
        """The whole sample, also where items are pairs."""
        return _sample_of(*self._core().read(self._index(position)))

    def samples_at(self, positions: Iterable[int]) -> List[Sample]:
        """The samples at these positions, in their order, all in memory at once; a
        server's are read together.

        >>> dataset = shardine.Dataset("data")
        >>> [sample.id for sample in dataset.samples_at([5, 0, -1])]
        [17, 6, 2]
        """
        if makes_own(self, Dataset):
            return [self.sample(position) for position in positions]
        indices = [self._index(position) for position in positions]
        return [_sample_of(*parts) for parts in self._core().read_many(indices)]

    def select(
        self,
        wanted: Optional[Wanted] = None,
        *,
        where: Optional[str] = None,
        labels: SelectedLabels = "kept",
    ) -> Selection:
        """Some of the items, in the order given.

        >>> dataset = shardine.Dataset("data")
        >>> len(dataset.select([5, 0, -1]))
        3
        >>> len(dataset.select("tree"))  # a class: read of the indexes alone
        8
        >>> len(dataset.select(["tree", "house"]))
        16
        >>> len(dataset.select(lambda sample: sample.id % 2))  # reads every sample
        12
        >>> len(dataset.select(where="class in (tree, boat) and id < 12"))
        8
        >>> chosen = dataset.select(["tree", "boat"], labels="compact")
        >>> chosen.classes, chosen.dataset.class_to_idx["tree"]
        (['boat', 'tree'], 1)

        labels: "compact" renumbers those of the samples, 0 to k - 1 in their
        order, and names their classes alone; the selection's dataset has them.
        where: a condition as `shardine convert --where` has it, on the indexes' data:
        id, label, labels, bytes, width, height, key, split and class.

        ValueError: there is no such class, or it is no condition; IndexError: no
        such position.
        """
        return selected(self, wanted, where, labels)

    def as_torch(
        self,
        form: Form = "tuple",
        *,
        transform: Optional[Callable[[Any], Any]] = None,
        fields: Optional[Sequence[str]] = None,
    ) -> TorchSamples:
        """The samples as a map-style Dataset of torch's, whose items its DataLoader
        collates; with this dataset's transform and target_transform, unless one is
        given. See shardine.torch_samples.TorchSamples.

        >>> from torch.utils.data import DataLoader
        >>> samples = shardine.Dataset("data").as_torch(
        ...     "dict", transform=lambda image: image.resize((32, 32)))
        >>> batch = next(iter(DataLoader(samples, batch_size=4)))
        >>> batch["image"].shape, batch["label"].shape
        (torch.Size([4, 3, 32, 32]), torch.Size([4]))
        """
        return torch_samples("as_torch", self, form, transform, fields)

    def __iter__(self) -> Iterator[Any]:
        return self._items(range(len(self)))

    def _items(self, positions: Iterable[int]) -> Iterator[Any]:
        if makes_own(self, Dataset):
            return (self[position] for position in positions)
        samples = one_by_one(self, positions)
        return map(self._pair, samples) if self.gives_pairs else samples

    def key(self, position: int) -> str:
        """The key of dataset[position], without reading the sample."""
        return self._core().key(self._index(position))

    def key_bytes(self, position: int) -> bytes:
        """The same, byte for byte."""
        return key_bytes_of(self.key(position))

    @property
    def keys(self) -> List[str]:
        """The keys of all samples; read from the indexes alone, at each use."""
        return list(self._in_runs(self._core().keys))

    def position(self, key: Union[str, bytes]) -> int:
        """Where the sample with that key is, str or bytes. NotFoundError: nowhere.
        Looks through the keys in the indexes: for many, make a dict of `keys`."""
        wanted = key_bytes_of(key).decode("utf-8", "surrogateescape")
        for position, each in enumerate(self._in_runs(self._core().keys)):
            if each == wanted:
                return position
        error = NotFoundError(f"{self!r} has no sample {wanted!r}")
        error.key = wanted
        raise error

    def _index(self, position: int) -> int:
        index = operator.index(position)
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"position {position} of {len(self)} samples")
        return index

    @property
    def classes(self) -> List[str]:
        """Names of the classes, in ascending order of their labels. Where these are
        not 0, 1, 2, ..., a UserWarning says once that class_to_idx has them."""
        classes = self._opened.classes
        labels = [each.label for each in classes]
        if labels != list(range(len(labels))) and not self._said_labels:
            self._said_labels = True
            warnings.warn(
                f"classes have the labels {labels[0]} to {labels[-1]}, not 0 to "
                f"{len(labels) - 1}: classes[target] is another class; class_to_idx "
                "has the label of each",
                stacklevel=2,
            )
        return [_text_of(each.name) for each in classes]

    @property
    def class_to_idx(self) -> Dict[str, int]:
        """Label of each class, as in torchvision."""
        return {_text_of(c.name): c.label for c in self._opened.classes}

    @property
    def labels(self) -> List[Tuple[_Target, ...]]:
        """The labels of each sample, as Sample.labels; read from the indexes alone, at
        each use."""
        return list(self._in_runs(self._core().labels))

    @property
    def targets(self) -> List[Any]:
        """The only label of each sample, before target_transform; as in
        torchvision ints, unless labels are not; a list of the caller's own. Read
        of the indexes at the first use, then kept. ValueError where a sample has
        no label or several."""
        if self._targets is None:
            labels = self._in_runs(self._core().labels)
            self._targets = [
                _only(each, position) for position, each in enumerate(labels)
            ]
        return list(self._targets)

    @property
    def samples(self) -> List[Tuple[str, Any]]:
        """(key, target) of each sample, as in torchvision."""
        return list(zip(self.keys, self.targets))

    def _in_runs(self, read: Callable[[int, int], List[Any]]) -> Iterator[Any]:
        for first in range(0, len(self), _TOGETHER):
            yield from read(first, min(_TOGETHER, len(self) - first))

    @property
    def path(self) -> Union[str, List[str]]:
        """As given."""
        if isinstance(self._path, list):
            return [os.fsdecode(shard) for shard in self._path]
        return os.fsdecode(self._path)

    @property
    def split(self) -> str:
        """The one of `splits` whose samples these are."""
        return self._opened.split

    @property
    def splits(self) -> List[str]:
        """Names of the splits that the dataset has, in ascending order; read of its
        manifest at each use. Shard files that are in no dataset have one."""
        about = self._about()
        return [self.split] if about is None else [s.name for s in about.splits]

    @property
    def text_fields(self) -> List[str]:
        """Names of the fields that are str: fields given to a Writer as str, texts in
        others' containers, and fields of text=[...]."""
        return list(self._opened.text_fields)

    @property
    def variant(self) -> str:
        """The one of `variants` whose images these are."""
        return self._opened.variant

    @property
    def variants(self) -> List[str]:
        """The kinds of images to choose from: "original", which is first, and sizes
        such as "sz/160"; read of the manifest at each use. Shard files that are in no
        dataset have "original" alone."""
        about = self._about()
        return [self.variant] if about is None else [about.variant, *about.variants]

    def _about(self) -> Optional[DatasetInfo]:
        """The manifest's contents; None for shard files without a manifest."""
        if isinstance(self._path, list):
            return None
        try:
            return cast(DatasetInfo, _core.info({"dataset": self._path}))
        except NotFoundError:
            # A shard: one that was scanned is said, one that was not is a file.
            if self._opened.warnings or os.path.isfile(self._path):
                return None
            raise

    @property
    def order_digest(self) -> str:
        """The digest of the ids in their order: equal for equal sequences of
        samples."""
        return self._opened.order_digest

    @shown
    def __repr__(self) -> str:
        return (
            f"<shardine.Dataset {shown_path(self.path)}: split {self.split!r}, "
            f"{self.variant!r}, {len(self)} samples>"
        )

    def _repr_html_(self) -> str:
        return dataset_page(self)

    def __getstate__(self) -> Dict[str, Any]:
        return {
            "_path": self._path,
            "_split": self._split,
            "_variant": self._variant,
            "_labels": self._labels,
            "_labels_by": self._labels_by,
            "_cache": self._cache,
            "_cache_bytes": self._cache_bytes,
            "_texts": self._texts,
            "_roles": self._roles,
            "_one_hot": self._one_hot,
            "_fields": self._fields,
            "_compact": self._compact,
            # For processes that were not told.
            "storage_options": remote_options(self._address),
            "_decode": self._decode,
            "_transform": self._transform,
            "_target_transform": self._target_transform,
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        own = {
            "_labels_by": "key",
            "_streamed": False,
            "_texts": [],
            "_roles": {"image": "", "label": "", "key": ""},
            "_one_hot": False,
            "_fields": None,
            "_transform": state.get("transform"),  # of versions before
            "_target_transform": state.get("target_transform"),
            **state,
        }
        own.pop("transform", None)
        own.pop("target_transform", None)
        options = own.pop("storage_options")
        self.__dict__.update(own)
        if options and not remote_options(self._address):
            set_storage_options(self._address, options)
        self._open()


def _text_of(name: bytes) -> str:
    """As keys are decoded, in any locale."""
    return name.decode("utf-8", "surrogateescape")


def _function(name: str, value: Any) -> Optional[Callable[[Any], Any]]:
    if isinstance(value, (Transform, PixelOperation)):
        raise TypeError(
            f"{name}: {value!r} is for a shardine.Loader; a Dataset's is a "
            "function, such as torchvision's transforms"
        )
    if value is not None and not callable(value):
        raise TypeError(f"{name}: {value!r} is not a function")
    return value  # type: ignore[no-any-return]


def _sample_of(
    id: int, key: str, labels: Tuple[_Target, ...], fields: Dict[str, Any]
) -> Sample:
    """A Dataset of the native module's."""
    values = {name: field_of(*field) for name, field in fields.items()}
    return Sample(id, key, labels, values)


def _only(labels: Sequence[_Target], of: Union[int, str]) -> _Target:
    if len(labels) != 1:
        named = f"position {of}" if isinstance(of, int) else f"sample {of!r}"
        raise ValueError(
            f"{named}: a target is one label, and here are {len(labels)}; "
            "dataset.sample(position).labels has them"
        )
    return labels[0]


_abandoned: List[_core.Dataset] = []
