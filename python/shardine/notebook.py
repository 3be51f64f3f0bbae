"""Results as small tables for notebooks; nothing in them is markup of a file."""

from __future__ import annotations

import dataclasses
import html
from typing import TYPE_CHECKING, Any, Iterable, List, Sequence

if TYPE_CHECKING:
    from . import _core
    from .outcome import Outcome

_ROWS = 10  # of a list
_LETTERS = 200  # of a value


def text_of(value: Any) -> str:
    """A value in one short line that HTML shows as it is."""
    if isinstance(value, float):
        value = f"{value:.4g}"
    text = "".join(
        each if each.isprintable() else ascii(each)[1:-1] for each in str(value)
    )
    if len(text) > _LETTERS:
        text = f"{text[:_LETTERS]}\N{HORIZONTAL ELLIPSIS}"
    return html.escape(text)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; no head: the first cell of each row is its head."""
    lines = []
    if head:
        cells = "".join(f"<th>{text_of(each)}</th>" for each in head)
        lines.append(f"<tr>{cells}</tr>")
    for row in rows:
        marks = ["td"] * len(row) if head else ["th"] + ["td"] * (len(row) - 1)
        cells = "".join(
            f"<{mark}><bdi>{text_of(each)}</bdi></{mark}>"
            for mark, each in zip(marks, row)
        )
        lines.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


def result_page(result: Outcome) -> str:
    """HTML of a result of a verb: its plain members, and its lists by their first."""
    plain: List[Sequence[Any]] = []
    lists: List[str] = []
    for field in dataclasses.fields(result):  # type: ignore[arg-type]
        value = getattr(result, field.name)
        if isinstance(value, tuple):
            if value:
                lists.append(_list(field.name, value))
        elif dataclasses.is_dataclass(value):
            plain.append((field.name, _line(value)))
        elif value not in ("", {}) and not field.name.endswith("_digest"):
            plain.append((field.name, value))
    name = type(result).__name__
    return f"<b>shardine.{name}</b>{table((), plain)}{''.join(lists)}"


def _line(value: Any) -> str:
    return repr(value).partition("(")[2][:-1]


def _list(name: str, values: Sequence[Any]) -> str:
    """The first of a list as a table, under how many there are."""
    first = values[:_ROWS]
    more = "" if len(values) == len(first) else f", the first {len(first)}"
    if not dataclasses.is_dataclass(first[0]):
        rows = table((), [(each,) for each in first])
    else:
        names = [
            field.name
            for field in dataclasses.fields(first[0])
            if not field.name.endswith("_digest")
        ]
        rows = table(names, [[_cell(getattr(each, n)) for n in names] for each in first])
    return (
        f"<details><summary>{text_of(name)}: {len(values)}{more}</summary>"
        f"{rows}</details>"
    )


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        holds_results = value and dataclasses.is_dataclass(value[0])
        return len(value) if holds_results else ", ".join(map(str, value[:3]))
    return _line(value) if dataclasses.is_dataclass(value) else value


def stats_page(stats: _core.LoaderStats) -> str:
    """HTML of what a loader did, and which stage holds it up."""
    rows = [
        ("images", f"{stats.images} in {stats.batches} batches"),
        ("seconds", stats.seconds),
        ("images a second", stats.images_per_second),
        ("MB a second", stats.megabytes_per_second),
        ("waiting for data", f"{stats.waiting_for_data:.1%}"),
        ("bad, unsupported", f"{stats.bad}, {stats.unsupported}"),
        ("bottleneck", stats.bottleneck),
    ]
    stages = table(
        ("stage", "items", "busy", "waits for input", "waits for output"),
        [
            (
                each.name,
                each.items,
                each.busy,
                each.waiting_for_input,
                each.waiting_for_output,
            )
            for each in stats.stages
        ],
    )
    return f"<b>shardine.LoaderStats</b>{table((), rows)}{stages}"
