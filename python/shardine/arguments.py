"""Arguments that make no sense, refused in plain words."""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
import os
import re
from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import Any, Callable, FrozenSet, List, Optional, Sequence, Tuple
from typing import TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def explained(
    called: str,
    also: Optional[Sequence[str]] = None,
    elsewhere: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[_Function], _Function]:
    """Decorates a method that users know as `called`: a call that does not fit it is a
    TypeError with the reason. `also`: the names that its **options take. `elsewhere`:
    other programs' names, and ours for them."""

    def decorate(method: _Function) -> _Function:
        signature = inspect.signature(method)
        known = [name for name in signature.parameters if name != "self"]
        if also is not None:
            known = [name for name in known if name != "options"] + list(also)

        @functools.wraps(method)
        def checked(self: Any, *values: Any, **options: Any) -> Any:
            for name in options:
                if name not in known:
                    close = difflib.get_close_matches(name, known, 1)
                    meant = f"; did you mean {close[0]}?" if close else ""
                    if name in elsewhere:
                        meant = f"; it is {elsewhere[name]} here"
                    raise TypeError(f"{called}: unknown option {name}{meant}")
            try:
                signature.bind(self, *values, **options)
            except TypeError as error:
                raise TypeError(f"{called}: {error}") from None
            return method(self, *values, **options)

        checked.options = frozenset(known)  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return decorate


def shown(line: Callable[[Any], str]) -> Callable[[Any], str]:
    """Decorates a __repr__ so that it works for an object whose __init__ failed, too:
    debuggers and tracebacks with locals ask for it."""

    @functools.wraps(line)
    def shown_or_not_made(self: Any) -> str:
        try:
            return line(self)
        except AttributeError:  # __init__ did not come so far
            return f"<shardine.{type(self).__name__}: was not made>"

    return shown_or_not_made


def count(name: str, value: Any, bits: int = 32) -> int:
    """An integer that the C++ side can hold."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not an integer") from None
    if not 0 <= number < 1 << bits:
        # Python writes out no number of more than 4,300 digits.
        size = number.bit_length()
        text = str(number) if size <= 128 else f"a number of {size} bits"
        raise ValueError(f"{name}: {text} is not in 0 to 2^{bits} - 1")
    return number


def counts(name: str, values: Any, how_many: int) -> Tuple[int, ...]:
    return tuple(count(name, v) for v in _several(name, values, how_many))


def integers(name: str, values: Any, how_many: int) -> Tuple[int, ...]:
    """Integers of either sign, of 32 bits."""
    for value in _several(name, values, how_many):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name}: {value!r} is not an integer")
        if not -(1 << 31) <= operator.index(value) < 1 << 31:
            raise ValueError(f"{name}: {value!r} is not in -2^31 to 2^31 - 1")
    return tuple(operator.index(v) for v in values)


def real(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)):  # which float() would read
        raise TypeError(f"{name}: {value!r} is not a number")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {value!r} is not a number") from None


def reals(name: str, values: Any, how_many: int) -> Tuple[float, ...]:
    return tuple(real(name, v) for v in _several(name, values, how_many))


def _several(name: str, values: Any, how_many: int) -> Tuple[Any, ...]:
    try:
        several = () if isinstance(values, (str, bytes)) else tuple(values)
    except TypeError:
        several = ()
    if len(several) != how_many:
        raise TypeError(f"{name}: {values!r} is not {how_many} numbers")
    return several


def flag(name: str, value: Any) -> bool:
    # NumPy's own is another type.
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"{name}: {value!r} is neither True nor False")
    return bool(value)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: {value!r} is not a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: {value!r} is not UTF-8") from None
    return value


def texts(name: str, values: Any) -> List[str]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(
            f'{name}: {values!r} is not a list of names, such as ["points"]'
        )
    return [text(name, value) for value in values]


def path(name: str, value: Any) -> bytes:
    try:
        encoded = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not a path") from None
    if b"\0" in encoded:
        raise ValueError(f"{name}: {value!r} has a null byte in it")
    return encoded


def within(name: str, value: Any, low: int, high: int) -> int:
    """An integer of that range, both ends included."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not an integer") from None
    if not low <= number <= high:
        raise ValueError(f"{name}: {number} is not in {low} to {high}")
    return number


def size(name: str, value: Any) -> int:
    """Bytes, from an integer or a text such as "256M": powers of 1024.

    A small shard_size needs a unit, since 256 is mostly meant as "256M".
    """
    if name == "shard_size" and re.fullmatch("[0-9]{1,19}", str(value)):
        if 0 < int(value) < 65536:
            raise ValueError(
                f'shard_size: {value} has no unit: "{value}M" is in mebibytes, '
                f'"{value}B" in bytes'
            )
    if isinstance(value, str):
        cut = re.fullmatch("([0-9]{1,19})([BKMGT]?)", value)
        if cut is None:
            raise ValueError(
                f'{name}: {value!r} is not a size like 4096, "64K", "256M" or "1G"'
            )
        value = int(cut[1]) << 10 * "BKMGT".index(cut[2] or "B")
    return within(name, value, 1, 2**64 - 1)


def joined(name: str, value: Any) -> str:
    """One number or word, or several, with commas between them."""
    if isinstance(value, (str, int)):
        value = [value]
    if isinstance(value, bytes) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name}: {value!r} is neither a number, a word nor a list")
    words = [
        text(name, each) if isinstance(each, str) else str(count(name, each))
        for each in value
    ]
    if not any(words):
        raise ValueError(f"{name}: {value!r} is empty")
    return ",".join(words)


def names(name: str, value: Any) -> List[str]:
    """One name, or several."""
    return [text(name, value)] if isinstance(value, str) else texts(name, value)


def shares(name: str, value: Any) -> str:
    """{"train": 0.9, "val": 0.1} as the text "train=0.9,val=0.1", or that."""
    if isinstance(value, str):
        return text(name, value)
    if not isinstance(value, Mapping) or not value:
        raise TypeError(
            f'{name}: {value!r} is not shares like {{"train": 0.9, "val": 0.1}}'
        )
    return ",".join(f"{text(name, k)}={real(name, v)!r}" for k, v in value.items())


def are_shares(value: Any) -> bool:
    """Whether it is shares of splits; names of splits have no "="."""
    return isinstance(value, Mapping) or (isinstance(value, str) and "=" in value)


def splits(name: str, value: Any) -> str:
    """Names of splits, with commas between them; or their shares, each with "="."""
    return shares(name, value) if are_shares(value) else ",".join(names(name, value))


def files(name: str, value: Any) -> str:
    """{"caption": ".txt", "mask": "_mask.png"} as "caption=.txt,mask=_mask.png", or
    that text."""
    if isinstance(value, str):
        return text(name, value)
    if not isinstance(value, Mapping) or not value:
        raise TypeError(
            f'{name}: {value!r} is not fields of files like {{"caption": ".txt"}}'
        )
    for each in value.values():
        if "," in text(name, each):
            raise ValueError(f"{name}: {each!r} has a comma")
    return ",".join(f"{text(name, k)}={v}" for k, v in value.items())


def named_paths(name: str, value: Any) -> List[Tuple[str, bytes]]:
    """(split, path) of one path, several, or a mapping of splits to either; the split
    is "" where none is given."""
    if isinstance(value, Mapping):
        for split, of in value.items():
            if split == "" or isinstance(of, Mapping):
                raise ValueError(f"{name}: {{{split!r}: {of!r}}} is no split")
        return [
            (text(name, split), each)
            for split, of in value.items()
            for _, each in named_paths(name, of)
        ]
    if isinstance(value, (str, bytes, os.PathLike)):
        return [("", path(name, value))]
    if isinstance(value, Set) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name}: {value!r} is neither a path nor several")
    paths = [("", path(name, each)) for each in value]
    if not paths:
        raise ValueError(f"{name}: there is no path in it")
    return paths


@functools.lru_cache(maxsize=None)
def _options_of(kind: Any) -> FrozenSet[str]:
    names = set(getattr(kind, "_settled", ()))
    for base in kind.__mro__[:-1]:
        if "__init__" not in vars(base):
            continue
        made = vars(base)["__init__"]
        names.update(inspect.signature(made).parameters, getattr(made, "options", ()))
    return frozenset(names)


class Settled:
    """Takes its options when it is made: one set later would do nothing."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind: Any = type(self)
        if name in _options_of(kind):
            raise AttributeError(
                f"{name}: an option of {kind.__name__}, which is given when one is made"
            )
        super().__setattr__(name, value)
