"""How far a verb is, shown as a bar."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Any, Callable, Iterator, Optional

Tell = Callable[[Any], object]


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _is_watched() -> bool:
    """Whether a terminal shows the output."""
    return _is_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _bar_class(wanted: bool) -> Any:
    """tqdm's; None where no bar is available and none was asked for."""
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        if not wanted:
            return None
        raise ImportError(
            "progress: True needs the package tqdm; a function or False does not"
        ) from None


@contextlib.contextmanager
def told(
    doing: str, progress: Any, unit: str = "samples"
) -> Iterator[Optional[Tell]]:
    """The function to call with the progress, a value with members `unit` and
    `unit`_total: the caller's, one that draws a bar, or None."""
    if not isinstance(progress, (bool, type(None))):
        if not callable(progress):
            raise TypeError(
                f"progress: {progress!r} is neither a function, True, False nor None"
            )
        yield progress
        return
    shown = progress or (progress is None and _is_watched())
    bar_class = _bar_class(progress is True) if shown else None
    if bar_class is None:
        yield None
        return
    with bar_class(desc=doing, unit=f" {unit}", leave=False) as bar:

        def draw(now: Any) -> None:
            done = getattr(now, unit)
            bar.total = getattr(now, f"{unit}_total") or None
            # A later part of the work counts from 0 again.
            if done < bar.n:
                bar.reset(bar.total)
            for name in ("rejected", "failed"):
                if getattr(now, name, 0):
                    bar.set_postfix({name: getattr(now, name)}, refresh=False)
            bar.update(done - bar.n)

        yield draw
