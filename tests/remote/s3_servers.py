"""Services that speak S3, on loopback: real ones, and one of ours that checks each
signature with botocore and refuses as a test says."""

import contextlib
import dataclasses
import datetime
import email.utils
import functools
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.client
import botocore.credentials
from free_ports import free_port

BIN = pathlib.Path(sys.executable).parent
KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI+K7MDENG+bPxRfiCYEXAMPLEKEY"
REGION = "us-east-1"


def environment(address: str, **others: str) -> dict[str, str]:
    """The settings of a user of that service; nothing of the machine's own."""
    own = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
    return own | {"AWS_ENDPOINT_URL_S3": address, "AWS_ACCESS_KEY_ID": KEY,
                  "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_EC2_METADATA_DISABLED": "true",
                  "NO_PROXY": "127.0.0.1"} | others


@functools.cache
def client(address: str) -> botocore.client.BaseClient:
    """One client of a service for all threads: botocore takes 50 ms to make one."""
    return boto3.client("s3", endpoint_url=address, aws_access_key_id=KEY,
                        aws_secret_access_key=SECRET, region_name=REGION)


def upload(address: str, folder: pathlib.Path, prefix: str) -> None:
    """Uploads to the bucket `data`, which is made if there is none."""
    to = client(address)
    with contextlib.suppress(to.exceptions.BucketAlreadyOwnedByYou,
                             to.exceptions.BucketAlreadyExists):
        to.create_bucket(Bucket="data")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            key = prefix + str(path.relative_to(folder))
            to.put_object(Bucket="data", Key=key, Body=path.read_bytes())


@contextlib.contextmanager
def running(
    command: list[str], log: pathlib.Path, address: str, own: dict[str, str] | None = None,
) -> Iterator[str]:
    with log.open("wb") as output, subprocess.Popen(
        [str(BIN / command[0]), *command[1:]], stdout=output, stderr=output,
        stdin=subprocess.DEVNULL, env=os.environ | (own or {}),
    ) as server:
        try:
            wait_until_it_answers(address, server, log)
            yield address
        finally:
            server.kill()


def wait_until_it_answers(
    address: str, server: subprocess.Popen[bytes], log: pathlib.Path
) -> None:
    once = botocore.config.Config(connect_timeout=1, read_timeout=2,
                                  retries={"total_max_attempts": 1})
    asking = boto3.client("s3", endpoint_url=address, aws_access_key_id=KEY,
                          aws_secret_access_key=SECRET, region_name=REGION, config=once)
    for _ in range(600):
        with contextlib.suppress(Exception):
            asking.list_buckets()
            return
        if server.poll() is not None:
            break
        threading.Event().wait(0.1)
    raise AssertionError(f"no server: {log.read_text(errors='replace')[-2000:]}")


@contextlib.contextmanager
def seaweedfs(folder: pathlib.Path) -> Iterator[str]:
    folder.mkdir()
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [{
        "name": "t", "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}))
    master, volume, filer, port = (free_port(10_000) for _ in range(4))  # gRPC's, too
    command = ["weed", "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}",
               f"-master.port={master}", f"-volume.port={volume}", "-filer",
               f"-filer.port={filer}", "-s3", f"-s3.port={port}", f"-s3.config={config}",
               "-s3.port.iceberg=0", "-s3.port.lance=0", "-volume.max=20",
               "-master.volumeSizeLimitMB=1024", "-master.telemetry=false"]
    with running(command, folder / "log", f"http://127.0.0.1:{port}") as address:
        yield address


@contextlib.contextmanager
def rclone(folder: pathlib.Path) -> Iterator[str]:
    """It calls parts the whole, and knows no conditions."""
    (folder / "served").mkdir(parents=True)
    port = free_port()
    command = ["rclone", "serve", "s3", str(folder / "served"), "--addr",
               f"127.0.0.1:{port}", "--auth-key", f"{KEY},{SECRET}", "--force-path-style",
               "--config", "/dev/null"]
    with running(command, folder / "log", f"http://127.0.0.1:{port}") as address:
        yield address


@contextlib.contextmanager
def juicefs(folder: pathlib.Path) -> Iterator[str]:
    """It knows no conditions when something is put, and says no ETag."""
    folder.mkdir()
    port = free_port()
    meta = f"sqlite3://{folder}/meta.db"
    keys = {"MINIO_ROOT_USER": KEY, "MINIO_ROOT_PASSWORD": SECRET}
    subprocess.run([str(BIN / "juicefs"), "format", "--storage", "file", "--bucket",
                    f"{folder}/blocks/", "--trash-days", "0", meta, "test"],
                   check=True, capture_output=True)
    command = ["juicefs", "gateway", meta, f"127.0.0.1:{port}", "--multi-buckets",
               "--cache-size", "0", "--no-usage-report"]
    with running(command, folder / "log", f"http://127.0.0.1:{port}", keys) as address:
        yield address


@contextlib.contextmanager
def moto(folder: pathlib.Path) -> Iterator[str]:
    """It checks no signatures, and has more services than S3."""
    folder.mkdir()
    port = free_port()
    command = ["moto_server", "-H", "127.0.0.1", "-p", str(port)]
    with running(command, folder / "log", f"http://127.0.0.1:{port}") as address:
        yield address


@dataclasses.dataclass
class Asked:
    """A request to the service of ours."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    key_id: str
    region: str
    form: dict[str, str] = dataclasses.field(default_factory=dict)


# Status, code of the error, more headers; None: it is answered.
Refusal = tuple[int, str, dict[str, str]]


class Service:
    """Objects of a folder: the bucket `data`, and answers for other paths."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.secrets = {KEY: SECRET}
        self.tokens: dict[str, str] = {}  # that go with a key
        self.refuse: Callable[[Asked], Refusal | None] = lambda _: None
        # Answers that are no object: a body by path, or made for the request.
        self.pages: dict[str, bytes | Callable[[Asked], bytes]] = {}
        self.asked: list[Asked] = []
        self.wrong: list[str] = []  # signatures that botocore makes otherwise
        self.earlier = 0  # seconds that objects say to be older than the listing says
        self.lock = threading.Lock()
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                service.answer(self)

            do_PUT = do_POST = do_GET

            def do_HEAD(self) -> None:
                service.answer(self)
                self.close_connection = True  # after a body that nobody reads

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        parts = urllib.parse.urlsplit(handler.path)
        headers = {name.lower(): text for name, text in handler.headers.items()}
        signed = re.search(r"Credential=([^/]*)/\d+/([^/]*)/(s3|sts)/",
                           headers.get("authorization", ""))
        asked = Asked(handler.command, urllib.parse.unquote(parts.path),
                      dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True)),
                      headers, signed[1] if signed else "", signed[2] if signed else "",
                      form_of(handler))
        with self.lock:
            self.asked.append(asked)
            refusal = self.refuse(asked)
            page = self.pages.get(asked.path)
            if signed:
                self.check(handler.path, asked, signed[3])
        if refusal is not None:
            status, code, more = refusal
            body = f"<Error><Code>{code}</Code><Message>so</Message></Error>".encode()
            send(handler, status, body, more)
        elif page is not None:
            send(handler, 200, page(asked) if callable(page) else page)
        elif "list-type" in asked.query:
            send(handler, 200, self.listing(asked.query))
        else:
            self.send_object(handler, asked)

    def check(self, target: str, asked: Asked, service: str) -> None:
        """Checks the signature as a service does that has the secret."""
        names = re.search("SignedHeaders=([^,]*)", asked.headers["authorization"])
        assert names is not None
        url = self.address + target
        request = botocore.awsrequest.AWSRequest(
            asked.method, url,
            headers={name: asked.headers[name] for name in names[1].split(";")})
        request.context["timestamp"] = asked.headers["x-amz-date"]
        kind = botocore.auth.S3SigV4Auth if service == "s3" else botocore.auth.SigV4Auth
        auth = kind(botocore.credentials.Credentials(
            asked.key_id, self.secrets.get(asked.key_id, "")), service, asked.region)
        text = auth.string_to_sign(request, auth.canonical_request(request))
        signature = auth.signature(text, request)
        token = asked.headers.get("x-amz-security-token", "")
        right = asked.headers["authorization"].endswith(f"Signature={signature}")
        if not right or token != self.tokens.get(asked.key_id, ""):
            self.wrong.append(target)

    def listing(self, query: dict[str, str]) -> bytes:
        prefix, inside = query["prefix"], ""
        for path in sorted(self.root.rglob("*")):
            key = str(path.relative_to(self.root))
            if path.is_file() and key.startswith(prefix):
                inside += (f"<Contents><Key>{escape(key)}</Key>"
                           f"<Size>{path.stat().st_size}</Size>"
                           "<LastModified>2026-01-01T00:00:00Z</LastModified></Contents>")
        return f"<ListBucketResult>{inside}</ListBucketResult>".encode()

    def send_object(
        self, handler: http.server.BaseHTTPRequestHandler, asked: Asked
    ) -> None:
        path = self.root / asked.path.removeprefix("/data").lstrip("/")
        if not path.is_file():
            send(handler, 404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        whole = path.read_bytes()
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", asked.headers.get("range", ""))
        first, last = (int(span[1]), int(span[2])) if span else (0, len(whole))
        part = whole[first:last + 1]
        at = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC).timestamp() - self.earlier
        send(handler, 206, part, {
            "Content-Range": f"bytes {first}-{first + len(part) - 1}/{len(whole)}",
            "ETag": f'"{len(whole)}"', "Last-Modified": email.utils.formatdate(at, usegmt=True)})


def form_of(handler: http.server.BaseHTTPRequestHandler) -> dict[str, str]:
    if handler.headers.get("Content-Type") != "application/x-www-form-urlencoded":
        return {}
    body = handler.rfile.read(int(handler.headers["Content-Length"]))
    return dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))


def send(
    handler: http.server.BaseHTTPRequestHandler, status: int, body: bytes,
    headers: dict[str, str] | None = None,
) -> None:
    handler.send_response_only(status)
    headers = headers or {}
    if "Date" not in headers:
        handler.send_header("Date", http_date())
    for name, text in headers.items():
        handler.send_header(name, text)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def http_date(later: float = 0) -> str:
    at = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=later)
    return at.strftime("%a, %d %b %Y %H:%M:%S GMT")


@contextlib.contextmanager
def serving(server: http.server.ThreadingHTTPServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def service_of_ours(root: pathlib.Path) -> Iterator[Service]:
    service = Service(root)
    with serving(service.server):
        yield service
    assert service.wrong == []
