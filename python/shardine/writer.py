"""Samples of one's own, one after the other, as a dataset."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import warnings
from types import TracebackType
from typing import Any, Dict, Literal, Mapping, Optional, Tuple, Type, Union, get_args

from . import _core
from .arguments import count, explained, path as as_path, text
from .dataset import Path
from .new_sample import ClassList, Classes, ImageForm, encoded, field, refuse_name

ImageFormat = Literal["png", "jpeg", "array"]
CheckLevel = Literal["none", "header", "decode"]
EntryPoints = Literal["auto", "none"]

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


@dataclasses.dataclass(frozen=True, repr=False)
class Written:
    """What a Writer wrote.

    output: the folder. format: with its layout. bytes: of all fields.
    content_digest: 32 hex digits; the same for the same samples in any format
    and order. warnings: what the shards do not hold and only the index beside
    them keeps.
    """

    output: str
    format: str
    samples: int
    classes: int
    shards: int
    bytes: int
    content_digest: str
    warnings: Tuple[str, ...]

    def to_dict(self) -> Dict[str, Any]:
        """For JSON."""
        return {**dataclasses.asdict(self), "warnings": list(self.warnings)}

    def __repr__(self) -> str:
        return (
            f"<shardine.Written {self.output!r}: {_many(self.samples, 'sample')} in "
            f"{_many(self.shards, 'shard')}, {self.format.split(':')[0]}>"
        )


class Writer:
    """Writes samples, in the order given, into a new dataset.

        >>> import numpy, shardine
        >>> with shardine.Writer("pets", format="tfrecord",
        ...                      classes=["cat", "dog"]) as writer:
        ...     writer.write({"points": numpy.ones((4, 2)), "label": "dog",
        ...                   "caption": "a dog, asleep"}, key="bello")
        >>> writer.result
        <shardine.Written 'pets': 1 sample in 1 shard, tfrecord/imagenet>
        >>> shardine.Dataset("pets")[0].fields["points"].shape
        (4, 2)

    A sample is a dict. Its entry "label" is a number, the name of a class, or a
    list of those; "image" is an encoded image (bytes, or the path of its file),
    pixels (uint8, height x width x 3 or height x width) or an image of Pillow's;
    any other entry is a field of that name:

        bytes, str                  bytes; of text its UTF-8
        a NumPy array               an array of that type and shape
        int, float, bool, NumPy's   an array of no axes: <i8, <f8, |b1, its own

    There is no dataset before close(), and a `with` that ends by an exception
    publishes nothing: what was written is removed. A process that was forked off
    cannot write or remove anything; threads may write, in any order.

    output: a folder that is new or empty. format: as `shardine formats` lists
    them, with a layout or without. shard_size: bytes, or "256M" (MiB). A shard
    ends before the sample that would make it larger, or at shard_samples.
    classes: names, whose labels are 0, 1, ..., or (name, label) or (name, label,
    text), or a dict of labels by name; where there are some, a single label is
    one of theirs. check: when an image is bad, which ends the writing: "decode"
    decodes each. entry_points: "auto" finds where decoding of JPEGs can begin,
    which makes crops cheap. image_format: pixels are encoded as "png", which
    keeps them exactly, or as "jpeg" with `quality` (95), both by Pillow, or kept
    as an "array". Images that are encoded already are never touched.

    ExistsError: the folder holds something. InvalidArgumentError, TypeError,
    ValueError: an argument.
    """

    @explained("Writer")
    def __init__(
        self,
        output: Path,
        *,
        format: str = "recordio",
        shard_size: Union[int, str] = "256M",
        shard_samples: Optional[int] = None,
        classes: Optional[ClassList] = None,
        check: CheckLevel = "header",
        entry_points: EntryPoints = "auto",
        image_format: ImageFormat = "png",
        quality: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> None:
        self._process = os.getpid()
        self._result: Optional[Written] = None
        self._open = False
        options = _core.WriterOptions(as_path("output", output), text("format", format))
        options.shard_bytes = _byte_size("shard_size", shard_size)
        if shard_samples is not None:
            options.shard_samples = _at_least_one("shard_samples", shard_samples)
        if threads is not None:
            options.threads = _at_least_one("threads", threads, 8)
        self._classes = Classes(classes)
        for row in self._classes.rows:
            options.add_class(*row)
        options.set_words(
            _word("check", check, CheckLevel),
            _word("entry_points", entry_points, EntryPoints),
        )
        self._images = ImageForm(
            _word("image_format", image_format, ImageFormat), quality
        )
        self._output = os.fsdecode(output)
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

        key: unique in its split; if left out, the number of samples written
        before, of all splits, in eight digits or more: "00000042". id: all
        samples have one, unique in the dataset, or none has. split: the dataset
        has a sequence of samples for each.

        TypeError, ValueError: what was given is no sample; it is left out, and
        others can follow. NotFoundError, StorageError: the image's file, likewise.
        Any other ShardineError is the end, and each later call raises it again:
        UnsupportedError is a sample that the format cannot hold; CorruptError a bad
        image, of this sample or, with threads, of one some 32 MiB before: its `key`
        says of which.
        """
        if not self._open:
            raise ValueError("write to a closed Writer")
        if not isinstance(sample, Mapping):
            raise TypeError(
                f"sample: {type(sample).__name__} is no dict, such as "
                '{"image": path, "label": 3}'
            )
        labels, fields = [], []
        for name, value in sample.items():
            if name == "label":
                labels = self._classes.labels(value)
            elif name == "image":
                fields.append(self._images.field(value))
            else:
                refuse_name(name)
                fields.append(field(name, value))
        self._writer.append(
            _key(key), None if id is None else count("id", id, 64), labels, fields,
            text("split", split),
        )  # fmt: skip

    def close(self, *, reshuffle: Optional[int] = None) -> Written:
        """Publishes the dataset; again, and the result is the same.

        reshuffle: samples are written in the order given; a random one is
        another dataset, which convert's `reshuffle` makes of this one. Said
        here, it is refused.

        InvalidArgumentError: no samples were written, or two of different
        shards have one key or id. Any ShardineError: there is no dataset, and
        what was written is removed.
        """
        if reshuffle is not None:
            raise ValueError(
                "reshuffle: a Writer keeps the order of its samples; close() "
                "without it, then `shardine convert OUT NEW --reshuffle "
                f"{reshuffle}` writes them in a random order"
            )
        if self._result is None:
            if not self._open:
                raise ValueError("this Writer was given up: it has no dataset")
            self._open = False
            self._result = Written(**self._writer.finish())
        return self._result

    def abandon(self) -> None:
        """Publishes nothing and removes what was written, if close() did not
        come first. Idempotent."""
        self._open = False
        self._writer.close()
        if self._result is None and self._process == os.getpid():
            left = os.path.join(self._output, ".pack")
            if os.path.lexists(left):
                warnings.warn(
                    f"{left}: unfinished work could not be removed; the next "
                    "Writer with these options takes the folder over",
                    stacklevel=2,
                )

    @property
    def result(self) -> Optional[Written]:
        """What close() returned; None before."""
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

    def __repr__(self) -> str:
        state = "closed" if self._result else "open" if self._open else "given up"
        return f"<shardine.Writer {self._output!r}: {state}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Writer is of one process and cannot be pickled")


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


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


def _at_least_one(name: str, value: Any, bits: int = 64) -> int:
    number = count(name, value, bits)
    if number == 0:
        raise ValueError(f"{name}: 0 is too few")
    return number


def _byte_size(name: str, value: Any) -> int:
    if not isinstance(value, str):
        return _at_least_one(name, value)
    found = re.fullmatch(r"([0-9]+)([KMGT]?)", value)
    if found is None:
        raise ValueError(f'{name}: {value!r} is no number of bytes, such as "256M"')
    return _at_least_one(name, int(found[1]) << _UNITS[found[2]])
