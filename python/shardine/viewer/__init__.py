"""A viewer of datasets: a page for this machine alone, and images in a terminal."""

from .server import Viewer

__all__ = ["Viewer"]
