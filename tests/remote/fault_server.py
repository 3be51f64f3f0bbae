"""A web server of ranges that fails in a chosen way, for tests of the client.

Which requests fail is a function of (seed, path, range, how often it was asked
for), so that a run can be repeated. Faults hit the first try of a range, or all.

Usage: fault_server.py ROOT FAULT [--rate R] [--seed N] [--always] [--only END]
Prints its port, serves until its standard input ends.
"""

import argparse
import gzip
import hashlib
import pathlib
import re
import socket
import socketserver
import struct
import sys
import threading
import time
from collections import Counter
from typing import NamedTuple

FAULTS = [
    "none", "delay", "stall", "stall-body", "drip", "reset", "reset-body", "close",
    "short-length", "longer", "endless", "wrong-range", "wrong-total", "wrong-etag",
    "no-etag", "weak-etag", "500", "502", "503", "504", "408", "429", "retry-after",
    "whole", "gzip", "huge-head", "no-head", "flip", "redirect", "redirect-loop",
    "redirect-file", "flip-cached", "404", "403", "replaced", "late-stall", "http10", "keep-alive-3",
]
# Requests before that: something has to be under way.
LATE = 20


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]


class State:
    """What all connections share."""

    def __init__(self, root: pathlib.Path, options: argparse.Namespace) -> None:
        self.root = root.resolve()
        self.fault: str = options.fault
        self.rate: float = options.rate
        self.seed: int = options.seed
        self.always: bool = options.always
        self.only: str = options.only
        self.lock = threading.Lock()
        self.tries: Counter[str] = Counter()
        self.requests = 0

    def draw(self, request: Request) -> bool:
        """Whether this request is to fail."""
        span = request.headers.get("range", "")
        key = f"{request.method} {request.path} {span}"
        with self.lock:
            self.requests += 1
            tried = self.tries[key]
            self.tries[key] += 1
        if not request.path.endswith(self.only):
            return False
        # A cache in between has wrong bytes, as often as it is asked.
        if self.fault == "flip-cached":
            return request.headers.get("cache-control") != "no-cache"
        if tried > 0 and not self.always:
            return False
        digest = hashlib.sha256(f"{self.seed} {key}".encode()).digest()
        return int.from_bytes(digest[:4], "big") / 2**32 < self.rate

    def version(self) -> int:
        return int(self.fault == "replaced" and self.requests > LATE)


def send_all(connection: socket.socket, data: bytes, pause: float = 0) -> None:
    if not pause:
        connection.sendall(data)
        return
    for byte in data:
        connection.sendall(bytes([byte]))
        time.sleep(pause)


class Handler(socketserver.BaseRequestHandler):
    server: "Server"

    def handle(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rest = b""
        for number in range(1_000_000):
            while b"\r\n\r\n" not in rest:
                more = self.request.recv(65536)
                if not more:
                    return
                rest += more
            head, rest = rest.split(b"\r\n\r\n", 1)
            lines = head.decode("latin-1").split("\r\n")
            method, path, _ = lines[0].split(" ")
            headers = {name.lower(): value.strip() for name, value in
                       (line.split(":", 1) for line in lines[1:])}
            if not self.answer(Request(method, path, headers), number):
                return

    def reply(self, words: str, headers: list[str], body: bytes) -> bool:
        head = "\r\n".join([f"HTTP/1.1 {words}", *headers, "", ""])
        self.request.sendall(head.encode("latin-1") + body)
        return True

    def refuse(self, words: str, *headers: str) -> bool:
        return self.reply(words, ["Content-Length: 3", *headers], b"no\n")

    def answer(self, request: Request, number: int) -> bool:
        """Whether the connection goes on."""
        state = self.server.state
        path = request.path.removeprefix("/moved")
        file = (state.root / path.lstrip("/")).resolve()
        if state.root not in file.parents or not file.is_file():
            return self.refuse("404 Not Found")
        bad = state.draw(request) and state.fault not in ("none", "replaced")
        if bad and state.fault == "late-stall":
            time.sleep(600 if state.requests > LATE else 0)
            bad = False
        content = file.read_bytes()
        etag = f'"{hashlib.md5(content).hexdigest()}-{state.version()}"'
        if request.headers.get("if-match", etag) != etag:
            return self.refuse("412 Precondition Failed")
        if request.method == "HEAD":
            if bad and state.fault.isdigit():
                self.reply(f"{state.fault} Fault", ["Content-Length: 0"], b"")
                return True
            return self.reply("200 OK", [f"Content-Length: {len(content)}",
                                         f"ETag: {etag}"], b"")
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers["range"])
        assert span is not None
        first = int(span[1])
        last = min(int(span[2]), len(content) - 1)
        part = Part(content, first, last, etag)
        if bad:
            return self.fail(part, request, number)
        return self.send(part)

    def send(self, part: "Part") -> bool:
        return self.reply("206 Partial Content", part.headers(), part.body())

    def reset(self) -> bool:
        # No time to linger: the connection ends with RST.
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                struct.pack("ii", 1, 0))
        self.request.close()
        return False

    def fail(self, part: "Part", request: Request, number: int) -> bool:
        fault = self.server.state.fault
        if fault in ("404", "403", "408", "429", "500", "502", "503", "504"):
            return self.refuse(f"{fault} Fault", "X-Request-Id: f4ul7")
        if fault == "retry-after":
            return self.refuse("503 Slow Down", "Retry-After: 1")
        if fault.startswith("redirect"):
            return self.redirect(fault, request)
        if fault in ("stall", "reset", "close", "no-head", "delay", "huge-head"):
            return self.fail_before_head(fault, part)
        if fault == "keep-alive-3" and number < 2:
            return self.send(part)
        return self.fail_after_head(fault, part)

    def redirect(self, fault: str, request: Request) -> bool:
        to = request.path
        if fault == "redirect" and not to.startswith("/moved"):
            to = "/moved" + to
        if fault == "redirect-file":
            to = "file:///etc/passwd"
        return self.refuse("302 Found", f"Location: {to}")

    def fail_before_head(self, fault: str, part: "Part") -> bool:
        if fault == "reset":
            return self.reset()
        if fault == "close":
            return False
        if fault == "no-head":
            self.request.sendall(b"not HTTP at all\r\n\r\n")
            return False
        if fault == "huge-head":
            part.more += [f"X-Filler-{i}: {'x' * 4000}" for i in range(40)]
            return self.send(part)
        time.sleep(0.3 if fault == "delay" else 60)
        return self.send(part)

    def fail_after_head(self, fault: str, part: "Part") -> bool:
        body = part.body()
        half = len(body) // 2
        if fault == "short-length":
            return self.reply("206 Partial Content", part.headers(half), body[:half])
        if fault == "longer":
            return self.reply("206 Partial Content", part.headers(len(body) + 9),
                              body + b"surplus--")
        if fault == "endless":
            return self.endless(part)
        if fault == "gzip":
            packed = gzip.compress(body)
            part.more.append("Content-Encoding: gzip")
            return self.reply("206 Partial Content", part.headers(len(packed)), packed)
        if fault == "whole":
            return self.reply("200 OK", [f"Content-Length: {len(part.content)}",
                                         f"ETag: {part.etag}"], part.content)
        if fault in ("wrong-range", "wrong-total", "wrong-etag", "no-etag", "flip",
                     "flip-cached", "weak-etag"):
            return self.send(part.forged(fault))
        if fault == "http10":
            head = "\r\n".join(["HTTP/1.0 206 Partial Content", *part.headers(), "", ""])
            self.request.sendall(head.encode() + body)
            return False
        # What is left ends in the middle of the body.
        head = "\r\n".join(["HTTP/1.1 206 Partial Content", *part.headers(), "", ""])
        self.request.sendall(head.encode() + body[:half])
        if fault == "reset-body":
            return self.reset()
        if fault == "stall-body":
            time.sleep(60)
        if fault == "drip":
            send_all(self.request, body[half:], pause=0.05)
            return True
        return False

    def endless(self, part: "Part") -> bool:
        headers = [line for line in part.headers() if "Length" not in line]
        self.reply("206 Partial Content", [*headers, "Transfer-Encoding: chunked"], b"")
        while True:
            self.request.sendall(b"1000\r\n" + b"x" * 0x1000 + b"\r\n")


class Part:
    """Bytes of an object, and what is said about them."""

    def __init__(self, content: bytes, first: int, last: int, etag: str) -> None:
        self.content, self.first, self.last, self.etag = content, first, last, etag
        self.total = len(content)
        self.more: list[str] = []
        self.flipped = False

    def body(self) -> bytes:
        body = self.content[self.first:self.last + 1]
        if self.flipped and body:
            middle = len(body) // 2
            body = body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1:]
        return body

    def headers(self, length: int | None = None) -> list[str]:
        length = len(self.body()) if length is None else length
        etag = [f"ETag: {self.etag}"] if self.etag else []
        return [f"Content-Length: {length}", *etag, *self.more,
                f"Content-Range: bytes {self.first}-{self.last}/{self.total}"]

    def forged(self, fault: str) -> "Part":
        part = Part(self.content, self.first, self.last, self.etag)
        if fault == "wrong-range":
            part.first = min(self.first + 1, self.last)
            part.last = min(self.last + 1, self.total - 1)
        elif fault == "wrong-total":
            part.total += 1
        elif fault == "wrong-etag":
            part.etag = '"another"'
        elif fault == "no-etag":
            part.etag = ""
        elif fault == "weak-etag":
            part.etag = "W/" + self.etag
        else:
            part.flipped = True
        return part


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, state: State) -> None:
        self.state = state
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("fault", choices=FAULTS)
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--always", action="store_true")
    parser.add_argument("--only", default="", help="paths that end so")
    options = parser.parse_args()
    with Server(State(options.root, options)) as server:
        print(server.server_address[1], flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main()
