"""One sample in one line, as pixels, and in a notebook."""

from __future__ import annotations

import base64
import html
import io
import os
from typing import Any, Mapping, Optional

from .errors import CorruptError, UnsupportedError
from .pictures import picture

_SIDE = 320  # the longer one, of an image in a notebook
_MAGIC = ((b"\xff\xd8\xff", "JPEG"), (b"\x89PNG\r\n\x1a\n", "PNG"))


def line(name: str, id: Any, key: Any, labels: Any, fields: Any) -> str:
    """A sample without its contents, whatever bytes are in its names."""
    if not isinstance(key, bytes) or not isinstance(fields, Mapping):
        return f"<{name} collated of several>"
    several = labels[0] if len(labels) == 1 else tuple(labels)
    label = "no label" if not labels else f"label {several!r}"
    held = "".join(f", {_field(name, value)}" for name, value in fields.items())
    return f"<{name} {id} {os.fsdecode(key)!r}: {label}{held}>"


def _field(name: str, value: Any) -> str:
    shown = name if name.isidentifier() else repr(name)
    if isinstance(value, bytes):
        kinds = [f"{kind} of " for magic, kind in _MAGIC if value.startswith(magic)]
        return f"{shown} {''.join(kinds)}{len(value)} bytes"
    sides = " x ".join(map(str, value.shape)) or "one"
    return f"{shown} {sides} {value.dtype}"


def png(image: Any, key: bytes) -> Optional[bytes]:
    """A small one, for a notebook; None where Pillow makes no image of it."""
    try:
        shown = picture(image, key, None)
    except (CorruptError, UnsupportedError, ImportError):
        return None  # the line beside it says what there is
    shown.thumbnail((_SIDE, _SIDE))
    encoded = io.BytesIO()
    shown.save(encoded, "png")
    return encoded.getvalue()


def page(text: str, shown: Optional[bytes]) -> str:
    """HTML of a line and an image: nothing in the line is markup."""
    caption = f"<code>{html.escape(text)}</code>"
    if shown is None:
        return caption
    data = base64.b64encode(shown).decode("ascii")
    return f'<img src="data:image/png;base64,{data}"><br>{caption}'
