"""A call of a verb: names checked, progress told, warnings given."""

from __future__ import annotations

import difflib
import warnings
from typing import Any, Callable, Dict, Mapping, Type, TypeVar

from .progress import told

_Result = TypeVar("_Result")

# Other programs' names, and ours for them.
_COUNTERPARTS = {
    "num_workers": "jobs",
    "workers": "jobs",
    "threads": "jobs",
    "num_proc": "jobs",
    "n_jobs": "jobs",
    "shuffle": "reshuffle",
    "no_shuffle": "shuffle=False",
    "no_suffix": "suffix=False",
    "no_space_check": "space_check=False",
    "no_upscale": "upscale=False",
    "dry_run": "plan_pack()",
    "random_state": "seed",
    "maxsize": "shard_size",
    "size_limit": "shard_size",
    "max_shard_size": "shard_size",
    "num_shards": "shards",
    "verbose": "progress",
    "callback": "progress",
}


def check_names(verb: str, options: Mapping[str, Any], kind: Any) -> None:
    """TypeError for an option that `kind`, a TypedDict, does not have."""
    known = list(kind.__annotations__)
    for name in options:
        if name in known:
            continue
        other = _COUNTERPARTS.get(name)
        if other is not None and not other.endswith("()"):
            other = other if other.partition("=")[0] in known else None
        close = difflib.get_close_matches(name, known, 1)
        meant = f"; it is {other} here" if other else ""
        if not meant and close:
            meant = f"; did you mean {close[0]}?"
        raise TypeError(f"{verb}: unknown option {name}{meant}")


def run(
    verb: str,
    native: Callable[[Dict[str, Any], Any], Any],
    given: Dict[str, Any],
    options: Mapping[str, Any],
    *,
    kind: Any,
    doing: str,
    gives: Type[_Result],
) -> _Result:
    """The result of `native`, of class `gives`. given: the arguments that stand in the
    signature; kind: the TypedDict of the others; doing: "packing"."""
    check_names(verb, options, kind)
    every = {**options, **given}
    progress = every.pop("progress", None)
    with told(doing, progress) as tell:
        result = native(every, tell)
    assert isinstance(result, gives)
    for warning in getattr(result, "warnings", ()):
        warnings.warn(warning, stacklevel=3)
    return result
