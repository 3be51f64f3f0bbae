"""Failures, as exceptions that name the place."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from .advice import advice


class ShardineError(Exception):
    """A failure that data, storage or an argument caused.

    code: "corrupt", "not_found", ...; path, record, key, offset: the file, the
    number of the record in it, the key of the sample and the byte that it is
    about, None where that is not known. key_bytes: the key, byte for byte.

    >>> import shardine
    >>> try:
    ...     shardine.Dataset("nowhere")
    ... except shardine.ShardineError as error:
    ...     error.code, error.path, error.record, error.key, error.key_bytes
    ('not_found', 'nowhere', None, None, None)
    """

    code: str = "failed"
    path: Optional[str] = None
    record: Optional[int] = None
    key: Optional[str] = None
    offset: Optional[int] = None

    @property
    def key_bytes(self) -> Optional[bytes]:
        """The key, of which bytes that are not UTF-8 are surrogates in `key`."""
        key = self.key
        return None if key is None else key.encode("utf-8", "surrogateescape")

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else self.code

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), self.args, dict(self.__dict__)


class InvalidArgumentError(ShardineError, ValueError):
    """An argument that makes no sense.

    >>> import shardine
    >>> with shardine.Writer("nothing"):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
    shardine.errors.InvalidArgumentError: ...no samples were appended
    """

    code = "invalid_argument"


class NotFoundError(ShardineError, FileNotFoundError):
    """There is no such file, dataset or variant.

    >>> import shardine
    >>> shardine.Dataset("data", variant="sz/999")
    Traceback (most recent call last):
    shardine.errors.NotFoundError: data: no variant "sz/999"; there are: original, sz/160
    """

    code = "not_found"


class ExistsError(ShardineError, FileExistsError):
    """A file is there that was not to be.

    >>> import shardine
    >>> shardine.Writer("data")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shardine.errors.ExistsError: data: already holds a dataset; ...
    """

    code = "already_exists"


class UnsupportedError(ShardineError, ValueError):
    """Well formed, but nothing that can be held or decoded.

    >>> import shardine
    >>> with shardine.Writer("numbers", format="lmdb") as writer:
    ...     writer.write({"n": 1})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shardine.errors.UnsupportedError: ...
    """

    code = "unsupported"


class CorruptError(ShardineError, ValueError):
    """Damaged data: framing, checksum, image.

    >>> import shardine
    >>> with shardine.Writer("photographs") as writer:
    ...     writer.write({"image": b"none"}, key="a")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shardine.errors.CorruptError: ...
    """

    code = "corrupt"


class StorageError(ShardineError, OSError):
    """The operating system said no: errno has its reason.

    >>> import errno, shardine
    >>> try:
    ...     shardine.Dataset("a" * 300)
    ... except shardine.StorageError as error:
    ...     error.errno == errno.ENAMETOOLONG
    True
    """

    code = "io"


class RemoteError(ShardineError, ConnectionError):
    """A remote store said no.

    >>> import shardine
    >>> shardine.Dataset("http://127.0.0.1:1/data")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shardine.errors.RemoteError: http://127.0.0.1:1/data...
    """

    code = "remote"


class ChangedError(ShardineError):
    """Files have changed.

    >>> import shardine
    >>> shardine.pack("photos", "packed", seed=99)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shardine.errors.ChangedError: packed...
    """

    code = "changed"


class CancelledError(ShardineError):
    """Stopped from elsewhere.

    >>> import threading, shardine
    >>> loader = shardine.Loader("data", batch_size=200_000, last_batch="pad",
    ...                          transform=shardine.Resize(32))
    >>> threading.Timer(1, loader.close).start()  # while a huge batch is awaited
    >>> next(iter(loader))
    Traceback (most recent call last):
    shardine.errors.CancelledError: the loader was stopped
    """

    code = "cancelled"


_BY_CODE = {
    kind.code: kind
    for kind in (
        InvalidArgumentError,
        NotFoundError,
        ExistsError,
        UnsupportedError,
        CorruptError,
        StorageError,
        RemoteError,
        ChangedError,
        CancelledError,
    )
}


def make_error(
    code: str,
    text: str,
    path: Optional[str],
    record: Optional[int],
    key: Optional[str],
    offset: Optional[int],
    errno: int,
) -> ShardineError:
    """The exceptions that the extension module raises."""
    way_out = advice(text, path, errno)
    if way_out is not None:
        text = f"{text}; {way_out}"
    error = _BY_CODE.get(code, ShardineError)(text)
    error.path = path
    error.record = record
    error.key = key
    error.offset = offset
    if errno and isinstance(error, OSError):
        error.errno = errno
    return error
