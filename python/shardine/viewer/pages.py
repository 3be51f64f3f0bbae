"""Pages of the viewer: plain HTML without scripts. Keys, class names and fields come
from untrusted files, and stand in it as text alone."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple
from urllib.parse import urlencode

import numpy

from ..notebook import text_of
from ..sample import Sample
from .browsing import FINDINGS, LOOKS, Browsed, Choice
from .drawing import boxes, color_of

PAGE = 48  # samples
_CLASSES = 500  # in a list
_BOXES = 50  # in a table

STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --paper: #fff; --link: #0757ba; --bad: #a40e26 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --paper: #0d1117; --link: #79b8ff; --bad: #ff8f88 }
}
body { font: 14px system-ui, sans-serif; margin: 1rem; color: var(--text); background: var(--paper) }
h1, h2 { font-size: 1.3rem; overflow-wrap: anywhere }
a { color: var(--link) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
form, nav { display: flex; gap: .8rem; flex-wrap: wrap; margin: .5rem 0; align-items: end }
label { display: grid; font-size: 12px }
select, input { max-width: min(22rem, 90vw) }
.grid { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)) }
.pair { grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)) }
figure { margin: 0; overflow-wrap: anywhere; font-size: 12px }
figure img { max-width: 100%; height: 160px; object-fit: contain }
.pair figure img { max-width: 49% }
.beside { display: flex; gap: 1rem; flex-wrap: wrap }
.beside > section { flex: 1 1 420px; min-width: 0 }
.beside img { max-width: 100% }
table { border-collapse: collapse; font-size: 13px }
td, th { border: 1px solid #8886; padding: .2rem .5rem; text-align: left; overflow-wrap: anywhere }
.none { color: var(--bad) }
"""


def _link(path: str, **query: Any) -> str:
    given = {name: value for name, value in query.items() if value not in ("", None)}
    return f"{path}?{urlencode(given, errors='surrogateescape')}".replace("&", "&amp;")


def _document(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f'<title>{text_of(title)}</title><link rel="icon" href="data:,">'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="stylesheet" href="style.css">'
        f"<main>{body}</main></html>\n"
    )


def _options(values: Sequence[Tuple[str, str]], chosen: str) -> str:
    return "".join(
        f'<option value="{text_of(value)}"{" selected" if value == chosen else ""}>'
        f"{text_of(shown)}</option>"
        for value, shown in values
    )


def _classes(browsed: Browsed, chosen: str) -> str:
    """A list of the classes; of many a field for the number or the name of one."""
    if len(browsed.classes) > _CLASSES:
        said = f"class, of {len(browsed.classes)}: number or name"
        return f'<label>{said}<input name="label" value="{text_of(chosen)}"></label>'
    classes = [(str(label), f"{label} {name}") for label, name in browsed.classes.items()]
    return (
        '<label>class<select name="label">'
        f"{_options([('', 'all'), *classes], chosen)}</select></label>"
    )


def _form(browsed: Browsed, choice: Choice) -> str:
    label = "" if choice.label is None else str(choice.label)
    findings = [
        ("", "any"),
        *((each, each) for each in FINDINGS),
        *((each, f"{each} (decodes all)") for each in LOOKS),
    ]
    return (
        '<form action="."><label>split<select name="split">'
        f"{_options([(each, each) for each in browsed.splits], choice.split)}"
        f"</select></label>{_classes(browsed, label)}"
        f'<label>key has<input name="key" value="{text_of(choice.key)}"></label>'
        '<label>finding<select name="finding">'
        f"{_options(findings, choice.finding)}"
        "</select></label><button>Show</button></form>"
    )


def _image(dataset: int, split: str, position: int, side: int) -> str:
    link = _link("image", dataset=dataset, split=split, position=position, side=side)
    return f'<img loading="lazy" alt="cannot be decoded" src="{link}">'


def grid(
    browsed: Sequence[Browsed],
    choice: Choice,
    page: int,
    found: Sequence[int],
    others: Sequence[Optional[int]],
    samples: Sequence[Tuple[str, str]],
) -> str:
    """The samples of one page, with keys and labels; beside each the one with its key
    in a second dataset, if there is one."""
    figures: List[str] = []
    for i, (position, (key, label)) in enumerate(zip(found, samples)):
        link = _link("sample", split=choice.split, position=position)
        images = _image(0, choice.split, position, 240)
        if len(browsed) > 1:
            other = others[i]
            images += (
                '<span class="none"> no such key there</span>'
                if other is None
                else _image(1, choice.split, other, 240)
            )
        figures.append(
            f'<figure><a href="{link}">{images}</a><figcaption><bdi>{text_of(key)}</bdi>'
            f"<br>{text_of(label)}</figcaption></figure>"
        )
    total = len(browsed[0].positions(choice))
    query: Dict[str, Any] = {
        "split": choice.split,
        "label": choice.label,
        "key": choice.key,
        "finding": choice.finding,
    }
    links = [f"{total} sample{'s' * (total != 1)}, page {page + 1} of {max(-(-total // PAGE), 1)}"]
    if page > 0:
        links.append(f'<a href="{_link(".", **query, page=page - 1)}">before</a>')
    if (page + 1) * PAGE < total:
        links.append(f'<a href="{_link(".", **query, page=page + 1)}">next</a>')
    names = " beside ".join(text_of(each.path) for each in browsed)
    kind = "grid pair" if len(browsed) > 1 else "grid"
    return _document(
        browsed[0].path,
        f"<h1>{names}</h1>{_form(browsed[0], choice)}<nav>{' '.join(links)}</nav>"
        f'<div class="{kind}">{"".join(figures)}</div>',
    )


def _field(name: str, value: Any) -> str:
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, numpy.ndarray):
        kind = f"{' x '.join(map(str, value.shape))} {value.dtype}"
        if value.size > 8:
            return kind
        return f"{kind}: {', '.join(map(str, value.reshape(-1)))}"
    return str(value)


def _boxes(sample: Sample, categories: Mapping[int, str]) -> str:
    if "bbox" not in sample.fields:
        return ""
    try:
        found = list(boxes(sample.fields))
    except (TypeError, ValueError):
        return ""
    rows = []
    for box, label in found[:_BOXES]:
        red, green, blue = color_of(label)
        mark = f'<span style="color:rgb({red},{green},{blue})">\N{BLACK SQUARE}</span>'
        corners = ", ".join(f"{each:.1f}" for each in box)
        name = categories.get(label, str(label))
        rows.append(f"<tr><td>{mark} {text_of(name)}</td><td>{text_of(corners)}</td></tr>")
    more = f"<p>{len(found)} boxes, the first {_BOXES}</p>" if len(found) > _BOXES else ""
    return f"<table><tr><th>box</th><th>corners</th></tr>{''.join(rows)}</table>{more}"


def section(
    number: int,
    browsed: Browsed,
    place: Tuple[str, int],
    sample: Sample,
    problems: Sequence[str],
    categories: Mapping[int, str],
) -> str:
    """One sample: image, labels, fields and boxes."""
    split, position = place
    rows: List[Tuple[str, str]] = [
        ("key", sample.key),
        ("id", str(sample.id)),
        ("label", browsed.label_text(sample.labels) or "none"),
        ("split", f"{split}, position {position}"),
    ]
    rows += [(name, _field(name, value)) for name, value in sample.fields.items()]
    cells = "".join(
        f"<tr><th>{text_of(name)}</th><td><bdi>{text_of(value)}</bdi></td></tr>"
        for name, value in rows
    )
    said = "".join(f'<p class="none">{text_of(each)}</p>' for each in problems)
    return (
        f"<section><h2>{text_of(browsed.path)}</h2>{_image(number, split, position, 1024)}"
        f"{said}<table>{cells}</table>{_boxes(sample, categories)}</section>"
    )


def sample_page(sections: Sequence[str], title: str, split: str, position: int) -> str:
    links = [f'<a href="{_link(".", split=split)}">all samples</a>']
    if position > 0:
        before = _link("sample", split=split, position=position - 1)
        links.append(f'<a href="{before}">before</a>')
    links.append(f'<a href="{_link("sample", split=split, position=position + 1)}">next</a>')
    return _document(
        title, f'<nav>{" ".join(links)}</nav><div class="beside">{"".join(sections)}</div>'
    )


def failed(browsed: Browsed, why: str) -> str:
    """In place of a sample that cannot be read."""
    return (
        f'<section><h2>{text_of(browsed.path)}</h2><p class="none">{text_of(why)}</p>'
        "</section>"
    )
