"""Samples of one's own, one after the other, as a dataset."""

from __future__ import annotations

import difflib
import os
import warnings
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Mapping, Optional, Tuple, Type, Union, get_args

from . import _core
from .arguments import count, explained, flag, shown, size, text, within
from .arguments import Settled, path as as_path
from .dataset_results import RejectedCount
from .new_sample import ClassList, Classes, ImageForm, NewField, encoded, field, refuse_names
from .verb_options import Check, EntryPoints, OnBad, Path, Size
from .outcome import Outcome
from .verbs import convert

ImageFormat = Literal["png", "jpeg", "array"]

# The names of webdataset's ShardWriter, MDSWriter and TensorFlow's.
_ELSEWHERE = {
    "maxcount": "shard_samples",
    "maxsize": "shard_size",
    "size_limit": "shard_size",
    "pattern": "output",
    "path": "output",
    "out": "output",
    "columns": "what write() is given",
    "num_workers": "threads",
    "jobs": "threads",
    "shuffle": "close(reshuffle=SEED)",
    "reshuffle": "close(reshuffle=SEED)",
    "rank": "part",
    "world_size": "parts",
    "num_parts": "parts",
}


@dataclass(frozen=True, repr=False)
class Written(Outcome):
    """The output of a Writer.

    output: the folder. format: with its layout. bytes: the size of the images.
    content_digest: 32 hex digits; the same for the same samples in any format and
    order. rejected: samples with bad images, by reason. warnings: the data that only
    the index beside the shards keeps. A part counts its own samples and has no shards
    yet.
    """

    _shown = ("output", "format", "samples", "shards")

    output: str
    format: str
    samples: int
    classes: int
    shards: int
    bytes: int
    content_digest: str
    rejected: Tuple[RejectedCount, ...]
    warnings: Tuple[str, ...]


class Writer(Settled):
    """Writes samples, in the order given, into a new dataset.

        >>> import numpy, shardine
        >>> with shardine.Writer("pets", format="tfrecord",
        ...                      classes=["cat", "dog"]) as writer:
        ...     writer.write({"points": numpy.ones((4, 2)), "label": "dog",
        ...                   "caption": "a dog, asleep"}, key="bello")
        >>> writer.result
        Written(output='pets', format='tfrecord/imagenet:label_offset=0', samples=1, shards=1)
        >>> shardine.Dataset("pets")[0].fields["points"].shape
        (4, 2)

    A sample is a dict. Its entry "label" is a number, the name of a class, or a
    list of those; "image" is an encoded image (bytes, or the path of its file),
    pixels (uint8, height x width x 3 or height x width) or an image of Pillow's;
    any other entry is a field of that name:

        bytes                       bytes
        str                         text, which comes back as str; a field is text
                                    in all samples that have it, or in none
        a NumPy array               an array of that type and shape
        int, float, bool, NumPy's   an array of no axes: <i8, <f8, |b1, its own

    There is no dataset before close(), and a `with` that ends by an exception
    publishes nothing: written files are removed. A process that was forked off cannot
    write or remove anything; threads may write, in any order.

    Several Writers can make one dataset, each in a process of its own if need be:
    part=3, parts=8 is the fourth of eight (shardine.join() has an example). A part's
    close() keeps the samples in OUTPUT/.parts, and when all are closed,
    shardine.join(output) makes the dataset: byte for byte the output of one Writer of
    the samples of part 0, then those of part 1, ... All other arguments but threads and
    image forms are the same for each. A part that ended by an exception or a kill is
    written again from its start, whatever became of the others, which nothing of it
    touches.

    output: a folder that is new or empty, or has other parts. format: as
    `shardine formats` lists them, with a layout or without. shard_size: bytes, or
    "256M" (MiB). A shard ends before the sample that would make it larger, or at
    shard_samples. classes: names, whose labels are 0, 1, ..., or (name, label) or
    (name, label, text), or a dict of labels by name; where there are some, a
    single label is one of theirs. check: when an image is bad; "decode" decodes
    each. on_bad: the handling of a sample with a bad image. "fail" ends the writing;
    "skip" leaves it out; "quarantine" does so, and copies the image to
    OUTPUT/quarantine; "keep" writes it all the same. All but "fail" list it in
    OUTPUT/rejected.jsonl. entry_points: "auto" finds where decoding of JPEGs can begin,
    which makes crops cheap. image_format: pixels are encoded as "png", which keeps them
    exactly, or as "jpeg" with `quality` (95), both by Pillow, or kept as an "array".
    Images that are encoded already are never touched. threads: that look at the
    samples, two at least, beside the one that writes; by default this process's share
    of the processors. replace=True: a complete dataset in the folder gives way when
    close() succeeds, with the files that its manifests list and no others.
    lossy_labels=True: a record may hold a changed label where the format has no exact
    ones: an integer for a fraction, a clipped one, the first of several. Only the index
    beside it has the exact ones.

    ExistsError: the folder holds something, or the part is closed already.
    InvalidArgumentError, TypeError, ValueError: an argument, or one that differs from a
    closed part's.
    """

    @explained("Writer", elsewhere=_ELSEWHERE)
    def __init__(
        self,
        output: Path,
        *,
        format: str = "recordio",
        shard_size: Size = "256M",
        shard_samples: Optional[int] = None,
        classes: Optional[ClassList] = None,
        check: Check = "header",
        on_bad: OnBad = "fail",
        entry_points: EntryPoints = "auto",
        image_format: ImageFormat = "png",
        quality: Optional[int] = None,
        threads: Optional[int] = None,
        part: Optional[int] = None,
        parts: Optional[int] = None,
        replace: bool = False,
        lossy_labels: bool = False,
    ) -> None:
        self._process = os.getpid()
        self._result: Optional[Written] = None
        self._seed: Optional[int] = None
        self._unshuffled: Optional[int] = None  # the seed, until it is done
        self._open = False
        self._closing = False
        options = _core.WriterOptions(as_path("output", output), text("format", format))
        options.shard_bytes = size("shard_size", shard_size)
        if shard_samples is not None:
            options.shard_samples = within("shard_samples", shard_samples, 1, 2**64 - 1)
        options.threads = 0
        if threads is not None:
            # One would be the calling thread, deaf to Ctrl-C while it writes.
            options.threads = max(2, within("threads", threads, 1, 255))
        self._part = _part_of(part, parts)
        if self._part is not None:
            options.part, options.parts = self._part
        options.replace = flag("replace", replace)
        self._lossy_labels = flag("lossy_labels", lossy_labels)
        options.lossy_labels = self._lossy_labels
        self._classes = Classes(classes)
        for row in self._classes.rows:
            options.add_class(*row)
        options.set_words(
            _word("check", check, Check),
            _word("entry_points", entry_points, EntryPoints),
            _word("on_bad", on_bad, OnBad),
        )
        self._images = ImageForm(
            _word("image_format", image_format, ImageFormat), quality
        )
        self._output = os.fsdecode(output)
        self._entry_points = entry_points
        self._writer = _core.Writer(options)
        self._open = True

    def write(
        self,
        sample: Mapping[str, Any],
        *,
        key: Optional[Union[str, bytes]] = None,
        id: Optional[int] = None,
        split: str = "train",
    ) -> None:
        """Adds a sample.

        An entry that is None is missing; shardine.info(output).contents counts it.

        key: unique in its split; if left out, the number of samples written
        before, of all splits, in eight digits or more: "00000042". id: all
        samples have one, unique in the dataset, or none has. split: the dataset
        has a sequence of samples for each.

        TypeError, ValueError: the arguments are no sample; it is left out, and others
        can follow. NotFoundError, StorageError: the image's file, likewise, or a disk
        without room, after which the sample can be written again, unless the message
        says that the writer has ended. Any other ShardineError is the end, and each
        later call raises it again: UnsupportedError is a sample that the format cannot
        hold; CorruptError a bad image, of this sample or of one some 32 MiB before: its
        `key` says of which.
        """
        if not self._open or self._closing:
            raise ValueError("write to a closed Writer")
        if not isinstance(sample, Mapping):
            raise TypeError(
                f"sample: {type(sample).__name__} is no dict, such as "
                '{"image": path, "label": 3}'
            )
        labels, fields = [], []
        refuse_names(sample)
        for name, value in sample.items():
            if value is None:  # a missing field, which the result counts
                continue
            if name == "label":
                labels = self._classes.labels(value)
            elif name == "image":
                fields.append(self._images.field(value))
            else:
                fields.append(self._field(name, value, key))
        self._writer.append(
            _key(key), None if id is None else count("id", id, 64), labels, fields,
            text("split", split),
        )  # fmt: skip

    def _field(self, name: str, value: Any, key: Any) -> NewField:
        try:
            return field(name, value)
        except ValueError as error:
            sample = f"{self._writer.samples:08}" if key is None else key
            raise ValueError(f"sample {sample!r}: {error}") from None

    def close(self, *, reshuffle: Optional[int] = None) -> Written:
        """Publishes the dataset; again, and the result is the same.

        reshuffle: the seed of a random order, in which the samples, once they are
        a dataset, are written again, as convert(output, ..., reshuffle=seed) does
        it; that dataset then takes the place of the first, which stays complete
        until then. It needs the room of both. Other files in OUTPUT stay.

        >>> writer = shardine.Writer("numbers", format="tfrecord")
        >>> for n in range(100):
        ...     writer.write({"n": n})
        >>> writer.close(reshuffle=7).samples
        100
        >>> [int(sample.fields["n"]) for sample in shardine.Dataset("numbers")[:5]]
        [88, 25, 72, 70, 93]

        InvalidArgumentError: no samples were written, or two of different
        shards have one key or id. Any ShardineError: there is no dataset; where
        reshuffling failed, there is one in the order given, and close() can be
        called again. ExistsError: a file that this Writer did not make has one of
        its names, and stays. After that, a full disk or a server that does not
        answer, the samples wait: close() can be called again, and abandon() removes
        them; after other failures they are removed.
        """
        seed = None if reshuffle is None else count("reshuffle", reshuffle, 64)
        if seed is not None and self._part is not None:
            raise ValueError(
                "reshuffle: a part is no dataset; shardine.join() makes one, and "
                "convert(..., reshuffle=...) another order of it"
            )
        if self._result is None:
            if not self._open:
                raise ValueError("this Writer was given up: it has no dataset")
            self._closing = True
            try:
                self._result = Written(**self._writer.finish())
            finally:
                # The parts that a failure left whole wait for another call.
                self._open = self._writer.can_finish
            self._seed = self._unshuffled = seed
            for warning in self._result.warnings:
                warnings.warn(warning, stacklevel=2)
        elif seed not in (None, self._seed):
            raise ValueError("reshuffle: this Writer was closed without it")
        if self._unshuffled is not None:
            convert(
                self._output,
                self._output,
                reshuffle=self._unshuffled,
                entry_points=self._entry_points,
                lossy_labels=self._lossy_labels,
                replace=True,
            )
            self._unshuffled = None
        return self._result

    def abandon(self) -> None:
        """Publishes nothing and removes the written files, if close() did not come
        first. Idempotent.

        >>> import os
        >>> writer = shardine.Writer("numbers", format="tfrecord")
        >>> writer.write({"n": 1})
        >>> writer.samples
        1
        >>> writer.abandon()
        >>> os.path.exists("numbers")
        False
        """
        self._open = False
        self._writer.close()
        if self._result is None and self._process == os.getpid():
            left = os.path.join(self._output, ".pack")
            if self._part is not None:
                name = "{:05}-of-{:05}".format(*self._part)
                left = os.path.join(self._output, ".parts", name)
            if os.path.lexists(left):
                warnings.warn(
                    f"{left}: unfinished work could not be removed; the next "
                    "Writer with these options takes the folder over",
                    stacklevel=2,
                )

    @property
    def result(self) -> Optional[Written]:
        """The result of close(); None before."""
        return self._result

    @property
    def samples(self) -> int:
        """Written so far."""
        return self._writer.samples

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if kind is not None:
            self.abandon()
        elif self._open:
            self.close()

    def __del__(self) -> None:
        if getattr(self, "_open", False) and self._process == os.getpid():
            warnings.warn(
                f"{self!r} was not closed: nothing is published",
                ResourceWarning,
                stacklevel=2,
                source=self,
            )

    @shown
    def __repr__(self) -> str:
        state = "closed" if self._result else "open" if self._open else "given up"
        part = "" if self._part is None else " part {} of {}".format(*self._part)
        return f"<shardine.Writer {self._output!r}{part}: {state}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Writer is of one process and cannot be pickled")


def _part_of(part: Any, parts: Any) -> Optional[Tuple[int, int]]:
    if part is None and parts is None:
        return None
    if part is None or parts is None:
        raise TypeError("part, parts: one is given, and the other is needed with it")
    number = within("parts", parts, 1, 99999)
    return within("part", part, 0, number - 1), number


def _key(key: Any) -> Optional[bytes]:
    if key is None or isinstance(key, bytes):
        return key
    if not isinstance(key, str):
        raise TypeError(f"key: {key!r} is not a string")
    return encoded("key", key)


def _word(name: str, value: Any, words: Any) -> str:
    known = get_args(words)
    if not isinstance(value, str) or value not in known:
        close = difflib.get_close_matches(str(value), known, 1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"{name}: {value!r} is none of {', '.join(known)}{meant}")
    return value
