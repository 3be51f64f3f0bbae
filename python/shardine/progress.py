"""How far a verb is, shown as a bar."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Any, Callable, Iterator, Optional

from .outcome import Progress

Tell = Callable[[Progress], object]


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _is_watched() -> bool:
    """Whether somebody looks at what is printed."""
    return _is_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _bar_class(wanted: bool) -> Any:
    """tqdm's; None where there is none and none was asked for."""
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        if not wanted:
            return None
        raise ImportError(
            "progress: True needs the package tqdm; a function or False does not"
        ) from None


@contextlib.contextmanager
def told(doing: str, progress: Any) -> Iterator[Optional[Tell]]:
    """What the extension module is to call: the caller's function, one that
    draws a bar, or None."""
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
    with bar_class(desc=doing, unit=" samples", leave=False) as bar:

        def draw(now: Progress) -> None:
            bar.total = now.samples_total or None
            # Of a later part of the work, which counts from 0 again.
            if now.samples < bar.n:
                bar.reset(bar.total)
            if now.rejected:
                bar.set_postfix(rejected=now.rejected, refresh=False)
            bar.update(now.samples - bar.n)

        yield draw
