"""Plots of loaders, without another library."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Union

from . import _core
from .arguments import path as as_path


class Plot:
    """Rates, work and waits of a loader over time, as an SVG image.

    A notebook shows it; save() writes it to a file.

    >>> import shardine
    >>> loader = shardine.Loader("data", batch_size=8, raw=True)
    >>> sum(1 for batch in loader)
    3
    >>> plot = loader.stats().plot()
    >>> plot.svg.startswith("<svg") and "bottleneck" in plot.svg
    True
    >>> plot.save("rates.svg")
    """

    def __init__(self, stats: _core.LoaderStats) -> None:
        self._stats = stats

    @property
    def svg(self) -> str:
        """The image, which needs no other file."""
        return _core.plot_svg(self._stats)

    def save(self, path: Union[str, bytes, FilePath]) -> None:
        """Writes the image; replaces an earlier plot and no other file."""
        _core.write_plot(as_path("path", path), self._stats)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<shardine.Plot of {self._stats!r}>"
