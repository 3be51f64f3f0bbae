"""The state from which a loader resumes, as it comes out of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict

from .arguments import count, text

_STATE = ("order_digest", "seed", "epoch", "position")


# A state comes out of a file, and so may its text in messages.
_LONGEST = 300


def check_state(state: Any) -> Dict[str, Any]:
    """The result of state_dict(), checked."""
    try:
        return _checked(state)
    except (TypeError, ValueError) as error:
        message = str(error)
        if len(message) <= _LONGEST:
            raise
        raise type(error)(message[:_LONGEST] + "...") from None


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
    }
