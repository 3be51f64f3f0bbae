"""The server of the viewer: Python's own, for this machine and one visitor.

It binds 127.0.0.1 alone, answers GET under a path that holds a random token, and
refuses a request whose Host is another name: a page of another site can neither guess
the path nor read it through a name that it points here. Nothing is written, and no
bytes of a file are served as they are: images are encoded again.
"""

from __future__ import annotations

import hmac
import http.server
import secrets
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple
from urllib.parse import parse_qs

from ..dataset import Path
from ..dataset_verbs import info
from ..errors import ShardineError
from . import pages
from .browsing import FINDINGS, LOOKS, Browsed, Choice
from .drawing import drawn, encoded

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'self' "
    "'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_MOST_DRAWN = 4  # images at a time
_MOST_SIDE = 2048  # pixels


class _Missing(Exception):
    """The request names a sample, split or page that there is not."""


class Viewer:
    """Serves one dataset, or two side by side, until close().

    >>> from shardine.viewer import Viewer
    >>> with Viewer(["data"]) as viewer:
    ...     viewer.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, datasets: Sequence[Path], port: int = 0) -> None:
        if not 1 <= len(datasets) <= 2:
            raise ValueError(f"datasets: one or two are shown, not {len(datasets)}")
        self.browsed = [Browsed(each) for each in datasets]
        self._categories = [_categories(each) for each in datasets]
        self._token = secrets.token_urlsafe(24)
        self._drawing = threading.Semaphore(_MOST_DRAWN)
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.viewer = self
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The address, whose path is the secret."""
        return f"http://127.0.0.1:{self.port}/{self._token}/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait(self) -> None:
        """Until another thread closes it, or an interruption."""
        self._thread.join()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def is_own_host(self, hosts: Sequence[str]) -> bool:
        return len(hosts) == 1 and hosts[0].lower() in (
            f"127.0.0.1:{self.port}",
            f"localhost:{self.port}",
        )

    def page_of(self, path: str) -> Optional[str]:
        """The page's name, behind the token; None: the token is another."""
        token, _, page = path.lstrip("/").partition("/")
        own = hmac.compare_digest(token.encode(), self._token.encode())
        return page if own else None

    def answer(self, page: str, query: Dict[str, str]) -> Tuple[str, bytes]:
        """Its type and contents. _Missing: there is none."""
        try:
            if page == "style.css":
                return "text/css; charset=utf-8", pages.STYLE.encode()
            if page == "":
                return _html(self._grid(query))
            if page == "sample":
                return _html(self._sample(query))
            if page == "image":
                return "image/jpeg", self._image(query)
        except (IndexError, KeyError, ValueError) as error:
            raise _Missing(str(error)) from error
        raise _Missing("there is no such page")

    def _grid(self, query: Dict[str, str]) -> str:
        first = self.browsed[0]
        finding = query.get("finding", "")
        if finding and finding not in (*FINDINGS, *LOOKS):
            raise KeyError("there is no such finding")
        choice = Choice(
            query.get("split") or first.splits[0],
            first.class_of(query.get("label", "")),
            query.get("key", ""),
            finding,
        )
        page = _number(query, "page", 0)
        chosen = first.positions(choice)
        found = list(chosen[page * pages.PAGE : (page + 1) * pages.PAGE])
        keys = [first.key(choice.split, each) for each in found]
        others: List[Optional[int]] = [None] * len(found)
        if len(self.browsed) > 1:
            beside = self.browsed[1].find(choice.split, keys)
            others = [beside.get(key) for key in keys]
        samples = [
            (key, first.label(choice.split, each)) for key, each in zip(keys, found)
        ]
        return pages.grid(self.browsed, choice, page, found, others, samples)

    def _sample(self, query: Dict[str, str]) -> str:
        split, position = query["split"], _number(query, "position")
        key = self.browsed[0].key(split, position)
        places: List[Optional[int]] = [position]
        if len(self.browsed) > 1:
            places.append(self.browsed[1].find(split, [key]).get(key))
        sections = []
        for number, (browsed, place) in enumerate(zip(self.browsed, places)):
            if place is None:
                sections.append('<section class="none">no such key there</section>')
                continue
            try:
                sample = browsed.sample(split, place)
                problems = self._drawn(sample, 64)[1]
            except ShardineError as error:
                sections.append(pages.failed(browsed, str(error)))
                continue
            sections.append(
                pages.section(
                    number, browsed, (split, place), sample, problems, self._categories[number]
                )
            )
        return pages.sample_page(sections, key, split, position)

    def _drawn(self, sample: Any, side: int) -> Tuple[Any, List[str]]:
        with self._drawing:
            try:
                return drawn(sample, side)
            except ShardineError as error:
                return None, [str(error)]

    def _image(self, query: Dict[str, str]) -> bytes:
        browsed = self.browsed[_number(query, "dataset", 0)]
        sample = browsed.sample(query["split"], _number(query, "position"))
        side = min(max(_number(query, "side", 240), 1), _MOST_SIDE)
        image, problems = self._drawn(sample, side)
        if image is None:
            raise _Missing(problems[0])
        return encoded(image)


def _html(text: str) -> Tuple[str, bytes]:
    return "text/html; charset=utf-8", text.encode("utf-8", "backslashreplace")


def _query(text: str) -> Dict[str, str]:
    try:
        fields = parse_qs(text, errors="surrogateescape", max_num_fields=16)
    except ValueError as error:
        raise _Missing("the address has too many parts") from error
    return {name: values[-1] for name, values in fields.items()}


def _number(query: Dict[str, str], name: str, otherwise: Optional[int] = None) -> int:
    text = query.get(name, "")
    if not text and otherwise is not None:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise ValueError(f"{name} is no number")
    return int(text)


def _categories(path: Path) -> Dict[int, str]:
    """Names of categories of boxes; none for bare shard files."""
    try:
        return {each.label: each.name for each in info(path).categories}
    except ShardineError:
        return {}


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    viewer: Viewer


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server
    server_version = "shardine"
    sys_version = ""
    timeout = 30  # seconds for a request

    def do_GET(self) -> None:
        viewer = self.server.viewer
        path, _, given = self.path.partition("?")
        page = viewer.page_of(path)
        if page is None or not viewer.is_own_host(self.headers.get_all("Host", [])):
            self._send(403, "text/plain; charset=utf-8", b"no such page\n")
            return
        try:
            kind, content = viewer.answer(page, _query(given))
        except _Missing as error:
            text = f"{error}\n".encode("utf-8", "backslashreplace")
            self._send(404, "text/plain; charset=utf-8", text)
        except ShardineError as error:
            text = f"{error}\n".encode("utf-8", "backslashreplace")
            self._send(500, "text/plain; charset=utf-8", text)
        else:
            self._send(200, kind, content)

    def _send(self, code: int, kind: str, content: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """The address has the token, which belongs in no log."""
