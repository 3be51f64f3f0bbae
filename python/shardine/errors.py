"""What goes wrong, as exceptions that say where."""

from __future__ import annotations

from typing import Any, Optional, Tuple


class ShardineError(Exception):
    """A failure that data, storage or an argument caused.

    code: "corrupt", "not_found", ...; path, record, key, offset: the file, the
    number of the record in it, the key of the sample and the byte that it is
    about, None where that is not known. key_bytes: the key, byte for byte.
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
    """An argument that makes no sense."""

    code = "invalid_argument"


class NotFoundError(ShardineError, FileNotFoundError):
    """There is no such file, dataset or variant."""

    code = "not_found"


class ExistsError(ShardineError, FileExistsError):
    """A file is there that was not to be."""

    code = "already_exists"


class UnsupportedError(ShardineError, ValueError):
    """Well formed, but nothing that can be held or decoded."""

    code = "unsupported"


class CorruptError(ShardineError, ValueError):
    """Damaged data: framing, checksum, image."""

    code = "corrupt"


class StorageError(ShardineError, OSError):
    """The operating system said no: errno has its reason."""

    code = "io"


class RemoteError(ShardineError, ConnectionError):
    """A remote store said no."""

    code = "remote"


class ChangedError(ShardineError):
    """Files are not those that they were."""

    code = "changed"


class CancelledError(ShardineError):
    """Stopped from elsewhere."""

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
    """What the extension module raises."""
    error = _BY_CODE.get(code, ShardineError)(text)
    error.path = path
    error.record = record
    error.key = key
    error.offset = offset
    if errno and isinstance(error, OSError):
        error.errno = errno
    return error
