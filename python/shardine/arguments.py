"""Arguments that make no sense, refused in plain words."""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
import os
from typing import Any, Callable, List, Optional, Sequence, Tuple, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def explained(
    called: str, also: Optional[Sequence[str]] = None
) -> Callable[[_Function], _Function]:
    """Of a method that users know as `called`: a call that does not fit it is a
    TypeError that says why. `also`: the names that its **options take."""

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
                    raise TypeError(f"{called}: unknown option {name}{meant}")
            try:
                signature.bind(self, *values, **options)
            except TypeError as error:
                raise TypeError(f"{called}: {error}") from None
            return method(self, *values, **options)

        return checked  # type: ignore[return-value]

    return decorate


def count(name: str, value: Any, bits: int = 32) -> int:
    """An integer that the C++ side can hold."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not an integer") from None
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{name}: {number} is not in 0 to 2^{bits} - 1")
    return number


def counts(name: str, values: Any, how_many: int) -> Tuple[int, ...]:
    return tuple(count(name, v) for v in _several(name, values, how_many))


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
