"""The results of the verbs: values, named as in the CLI's JSON."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Tuple

from .notebook import result_page


def _plain(value: Any) -> Any:
    if isinstance(value, Outcome):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return dict(value) if isinstance(value, dict) else value


# By the names of their classes: the extension module makes them.
KINDS: Dict[str, type] = {}


class Outcome:
    """The common part of all verbs' results."""

    # The members that repr() shows; all where it is empty.
    _shown: ClassVar[Tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        KINDS[cls.__name__] = cls

    def to_dict(self) -> Dict[str, Any]:
        """All of it as dicts, lists, strings and numbers."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
        }

    def _repr_html_(self) -> str:
        return result_page(self)

    def __repr__(self) -> str:
        named = [
            (field.name, getattr(self, field.name))
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
        ]
        shown = [
            f"{name}={value!r}"
            for name, value in named
            if not self._shown or name in self._shown
        ]
        # Members to look at, where they are not empty.
        for name, value in named:
            if name in ("warnings", "findings") and value:
                shown.append(f"{len(value)} {name if len(value) > 1 else name[:-1]}")
            if name == "rejected" and isinstance(value, tuple) and value:
                shown.append(f"{sum(each.count for each in value)} rejected")
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, repr=False)
class Progress(Outcome):
    """A verb's progress in samples and their bytes. A total of 0 is not known yet.

    >>> import shardine
    >>> told = []
    >>> shardine.verify("data", progress=told.append).sound
    True
    >>> told[-1].samples == told[-1].samples_total, told[-1].to_dict()["rejected"]
    (True, 0)
    """

    samples: int
    samples_total: int
    bytes: int
    bytes_total: int
    rejected: int
