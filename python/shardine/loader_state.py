"""The state from which a loader resumes, as it comes out of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List

from .arguments import count, text

_STATE = ("order_digest", "seed", "epoch", "position")


# A state comes out of a file, and so may its text in messages.
_LONGEST = 300
_MOST_BUCKETS = 255  # of a Loader


def check_state(state: Any) -> Dict[str, Any]:
    """The result of state_dict(), checked."""
    try:
        return _checked(state)
    except (TypeError, ValueError) as error:
        message = str(error)
        if len(message) <= _LONGEST:
            raise
        raise type(error)(message[:_LONGEST] + "...") from None


def _counts(values: Any) -> List[int]:
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"bucket_samples: {values!r} is not a list of numbers")
    if len(values) > _MOST_BUCKETS:
        raise ValueError(f"bucket_samples: {len(values)} of at most {_MOST_BUCKETS}")
    return [count("bucket_samples", value, 64) for value in values]


def _checked(state: Any) -> Dict[str, Any]:
    if not isinstance(state, Mapping):
        raise TypeError(f"state: {state!r} is not a dict of state_dict()")
    missing = [name for name in _STATE if name not in state]
    if missing:
        raise ValueError(f"the state has no {', '.join(missing)}")
    return {
        "order_digest": text("order_digest", state["order_digest"]),
        "seed": count("seed", state["seed"], 64),
        "epoch": count("epoch", state["epoch"], 63),
        "position": count("position", state["position"], 64),
        "nodes": count("nodes", state.get("nodes", 1)),
        "node_samples": count("node_samples", state.get("node_samples", 0), 64),
        "order": text("order", state.get("order", "")),
        "bucket_samples": _counts(state.get("bucket_samples", ())),
    }
