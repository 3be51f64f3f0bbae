"""Stands before a service and fails as networks do, by the number of the request: loses
it, its answer, or ends the client."""

import contextlib
import email.utils
import http.client
import http.server
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Literal

import s3_servers

# Sent on; answered 503 and not sent on; sent on and not answered; struck before it
# would be sent on, or after it was.
Fate = Literal["forward", "refuse", "lose", "before", "after"]


class Proxy:
    def __init__(self, behind: str) -> None:
        self.behind = urllib.parse.urlsplit(behind).netloc
        self.fate: Callable[[int, str, str], Fate] = lambda *_: "forward"
        self.strike: Callable[[], None] = lambda: None
        self.asked: list[tuple[str, str]] = []  # method, target
        self.later = 0  # seconds that the service's clock goes on, in its answers
        self.lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1  # flushed after each answer

            def do_GET(self) -> None:
                with contextlib.suppress(ConnectionError):
                    proxy.answer(self)

            def handle_expect_100(self) -> bool:
                self.send_response_only(100)
                self.end_headers()
                self.wfile.flush()
                return True

            do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        with self.lock:
            number = len(self.asked)
            self.asked.append((handler.command, handler.path))
            fate = self.fate(number, handler.command, handler.path)
        if fate == "before":
            self.strike()
        if fate in ("refuse", "before"):
            handler.send_response_only(503)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        status, headers, content = self.forward(handler, body)
        if fate == "after":
            self.strike()
        if fate in ("lose", "after"):
            handler.close_connection = True
            return
        handler.send_response_only(status)
        for name, value in headers:
            if name == "Date" and self.later:
                at = email.utils.parsedate_to_datetime(value).timestamp() + self.later
                value = email.utils.formatdate(at, usegmt=True)  # noqa: PLW2901
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                handler.send_header(name, value)
        length = dict(headers).get("Content-Length", "0")
        handler.send_header("Content-Length",
                            length if handler.command == "HEAD" else str(len(content)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(content)

    def forward(
        self, handler: http.server.BaseHTTPRequestHandler, body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        there = http.client.HTTPConnection(self.behind, timeout=60)
        with contextlib.closing(there):
            there.putrequest(handler.command, handler.path, skip_host=True,
                             skip_accept_encoding=True)
            for name, value in handler.headers.items():
                if name.lower() not in ("expect", "connection"):
                    there.putheader(name, value)
            there.endheaders(body)
            answer = there.getresponse()
            return answer.status, answer.getheaders(), answer.read()


@contextlib.contextmanager
def before(behind: str) -> Iterator[Proxy]:
    proxy = Proxy(behind)
    with s3_servers.serving(proxy.server):
        yield proxy
