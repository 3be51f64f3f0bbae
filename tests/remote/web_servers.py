"""Web servers on loopback for tests: nginx, plain and with TLS, and the server that
fails (tests/fault_server)."""

import contextlib
import http.client
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator

from free_ports import free_port

# A path that each nginx answers by itself.
MARK = "/-/mark"


@contextlib.contextmanager
def fault_server(
    root: pathlib.Path, fault: str, *options: str
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A server that fails in that way: its address and its process."""
    command = [os.environ["FAULT_SERVER"], str(root), fault, *options]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}", server
        finally:
            server.stdin.close()


@contextlib.contextmanager
def faulty(root: pathlib.Path, fault: str, *options: str) -> Iterator[str]:
    with fault_server(root, fault, *options) as (address, _):
        yield address


def certificate(folder: pathlib.Path, name: str, *options: str) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=test", "-addext",
         f"subjectAltName={name}", "-keyout", folder / "key.pem", "-out",
         folder / "cert.pem", *options],
        check=True, capture_output=True)


@contextlib.contextmanager
def nginx(
    root: pathlib.Path | str, folder: pathlib.Path, tls: str | None = None
) -> Iterator[str]:
    """The address of an nginx that has the files of `root`, or stands in front of the
    server with that address. `tls`: the name in its certificate, which is
    folder/cert.pem."""
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    assert program is not None, "no nginx: tools/install_deps.sh installs it"
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    listen = f"listen 127.0.0.1:{port};"
    if tls is not None:
        certificate(folder, tls)
        listen = (f'listen 127.0.0.1:{port} ssl; ssl_certificate "{folder}/cert.pem"; '
                  f'ssl_certificate_key "{folder}/key.pem";')
    paths = "".join(f'{kind}_temp_path "{folder}/{kind}";' for kind in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    # Started by root, nginx would serve as a user that may not read root's files.
    user = "user root;" if os.getuid() == 0 else ""
    place = f'root "{root}";'
    if isinstance(root, str):
        # The signature covers the host that was asked.
        place = (f"location / {{ proxy_pass {root}; proxy_http_version 1.1; "
                 "proxy_set_header Connection ''; proxy_set_header Host $http_host; "
                 "proxy_buffering off; }")
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; {user} worker_processes 1; pid \"{folder}/pid\";\n"
        f"error_log \"{folder}/error.log\";\nevents {{ worker_connections 4096; }}\n"
        f"http {{ access_log \"{folder}/access.log\"; {paths}\n"
        f"server {{ {listen} location {MARK} {{ return 204; }} {place} }} }}\n")
    command = [program, "-c", str(config), "-p", str(folder),
               "-e", str(folder / "error.log")]
    with subprocess.Popen(command) as server:
        try:
            wait_for(port)
            yield f"{'http' if tls is None else 'https'}://127.0.0.1:{port}"
        finally:
            server.terminate()


def asked_since(log: pathlib.Path) -> list[tuple[str, str]]:
    """Method and path of the requests to an nginx since the last call."""
    time.sleep(0.2)  # abandoned requests end
    text = text_until_mark(log)
    log.write_text("")
    words = [line.split('"')[1].split() for line in text.splitlines()]
    return [(method, path) for method, path, *_ in words if path != MARK]


def text_until_mark(log: pathlib.Path) -> str:
    """The log of an nginx, whose worker writes a line of each answer a little after it:
    of all that it gave before the answer to MARK."""
    listen = re.search(r"listen 127\.0\.0\.1:(\d+)", (log.parent / "nginx.conf").read_text())
    assert listen
    connection = http.client.HTTPConnection("127.0.0.1", int(listen[1]), timeout=10)
    connection.request("GET", MARK)
    connection.getresponse().read()
    connection.close()
    for _ in range(500):
        if MARK in (text := log.read_text()):
            return text
        time.sleep(0.02)
    raise AssertionError("the server writes no log")


def wait_for(port: int) -> None:
    for _ in range(200):
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.02)
    raise AssertionError("the server does not listen")
