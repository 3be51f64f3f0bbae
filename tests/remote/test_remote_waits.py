"""A wait for a server hears Ctrl-C, blocks no other thread, and may be forked."""

import functools
import http.server
import os
import pathlib
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

import s3_servers
from shardine_program import SHARDINE

pytest_plugins = ["own_cache", "places"]
# tools/nightly.sh forks sets another number.
FORKS = int(os.environ.get("SHARDINE_FORKS", "300"))
# tools/nightly.sh threads sets another number.
SECONDS = int(os.environ.get("SHARDINE_SECONDS", "3"))
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"


class Server:
    """Files of a folder, until it falls silent: then requests get no answer."""

    def __init__(self, root: pathlib.Path) -> None:
        silent = self.silent = threading.Event()
        end = self.end = threading.Event()

        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if silent.is_set():
                    end.wait(60)
                    return
                path = pathlib.Path(self.translate_path(self.path))
                if not path.is_file():
                    self.send_response_only(404)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                whole = path.read_bytes()
                first, last = self.headers["Range"][6:].split("-")
                part = whole[int(first):int(last) + 1]
                self.send_response_only(206)
                self.send_header("ETag", f'"{len(whole)}"')
                self.send_header("Content-Length", str(len(part)))
                self.send_header("Content-Range", f"bytes {first}-"
                                 f"{int(first) + len(part) - 1}/{len(whole)}")
                self.end_headers()
                self.wfile.write(part)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=str(root)))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def server(root: pathlib.Path) -> Iterator[Server]:
    server = Server(root)
    with s3_servers.serving(server.server):
        yield server
        server.end.set()


# Ends the call by Ctrl-C after a second, and says whether that was heard.
INTERRUPTED = """
import os, signal, sys, threading, time, shardine
def later():
    time.sleep(1)
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=later, daemon=True).start()
try:
    eval(sys.argv[1])
except KeyboardInterrupt:
    print(time.monotonic() - sent < 0.5, flush=True)
os._exit(0)
"""
OPENED = """
import sys, shardine
dataset = shardine.Dataset(sys.argv[2], cache=sys.argv[3])
print("opened", flush=True)
sys.stdin.readline()
""" + INTERRUPTED


# Concurrency review 9; of a cache 17: another thread has its turn to open the shard.
@pytest.mark.parametrize("cache", ["off", "cache"])
@pytest.mark.parametrize("wait", [
    "dataset[0]", "dataset.key(0)", "dataset.keys", "dataset.labels", "dataset.targets",
    "list(dataset[2:5])", "dataset.position('x')",
    "[threading.Thread(target=dataset.__getitem__, args=(0,), daemon=True).start(), "
    "time.sleep(0.2), dataset[0]]"])
def test_ctrl_c_ends_a_look_at_a_sample(
    server: Server, tmp_path: pathlib.Path, wait: str, cache: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OPENED, wait, f"{server.url}/set", cache], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path,
    ) as looking:
        assert looking.stdin is not None and looking.stdout is not None
        assert looking.stdout.readline() == "opened\n"
        server.silent.set()
        looking.stdin.write("\n")
        looking.stdin.flush()
        assert looking.stdout.readline() == "True\n"


@pytest.mark.parametrize("call", [
    "Dataset('s3://data/x')", "Writer('s3://data/x')", "info('s3://data/x')",
    "cat('s3://data/x', 'key')", "verify('s3://data/x')", "pack('s3://data/x', 'out')",
    "extract('s3://data/x', 'out')", "convert('s3://data/x', 'out')",
    "diff('s3://data/x', 's3://data/y')", "join('s3://data/x')",
    "merge(['s3://data/x', 's3://data/y'], 'out')", "reindex('s3://data/x')",
    "scan('s3://data/x')"])
def test_ctrl_c_ends_a_wait_for_a_program_that_gives_keys(
    tmp_path: pathlib.Path, call: str
) -> None:
    """Finding 9, of the first thing that a call waits for."""
    profile = tmp_path / "config"
    profile.write_text("[default]\nregion = us-east-1\ncredential_process = sleep 30\n")
    variables = {name: text for name, text in os.environ.items()
                 if not name.startswith("AWS_")}
    variables |= {"AWS_CONFIG_FILE": str(profile), "AWS_EC2_METADATA_DISABLED": "true",
                  "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
                  "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1"}
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, f"shardine.{call}"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=25,
                          cwd=tmp_path, env=variables)
    assert done.stdout == "True\n"
    assert not (tmp_path / "out").exists()


FULL = """
import fcntl, os, sys, threading, time, shardine
late = shardine.Dataset(sys.argv[1], cache="off")
good = shardine.Dataset(sys.argv[2], cache="off")
print("opened", flush=True)
sys.stdin.readline()
_, write = os.pipe()
fcntl.fcntl(write, fcntl.F_SETFL, os.O_NONBLOCK)
for size in (4096, 1):
    try:
        while True:
            os.write(write, b"x" * size)
    except BlockingIOError:
        pass
fcntl.fcntl(write, fcntl.F_SETFL, 0)
os.dup2(write, 2)
threading.Thread(target=lambda: late[0], daemon=True).start()
time.sleep(12)
began = time.monotonic()
for position in (0, 9, 18):
    good[position]
print(time.monotonic() - began < 5, flush=True)
os._exit(0)
"""


def test_a_standard_error_that_nobody_reads_stops_no_request(
    server: Server, root: pathlib.Path
) -> None:
    """Concurrency review 10."""
    good = Server(root)
    with s3_servers.serving(good.server), subprocess.Popen(
        [sys.executable, "-c", FULL, f"{server.url}/set", f"{good.url}/set"], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as looking:
        assert looking.stdin is not None and looking.stdout is not None
        assert looking.stdout.readline() == "opened\n"
        server.silent.set()
        looking.stdin.write("\n")
        looking.stdin.flush()
        timer = threading.Timer(40, looking.kill)
        timer.start()
        assert looking.stdout.readline() == "True\n"
        timer.cancel()


@pytest.mark.parametrize("verb", ["verify", "info", "ls"])
def test_little_memory_ends_no_reader_of_a_server_by_a_signal(
    server: Server, verb: str
) -> None:
    """Concurrency review 15 and 16: a request that is begun keeps its buffers."""
    ends = []
    for size in [*range(30_000, 60_000, 5_000), *range(60_000, 62_500, 500), 400_000]:
        done = subprocess.run(
            [SHARDINE, verb, f"{server.url}/set"], capture_output=True, timeout=200,
            env=os.environ | {"SHARDINE_REMOTE_PATIENCE": "5"},
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_AS, (size << 10, size << 10)))
        # 6: no thread for the name of the server; 127: the program is not loaded.
        assert done.returncode in (0, 1, 5, 6, 127), (size, done.stderr)
        ends.append(done.returncode)
    assert ends[-1] == 0
    assert any(ends)


FORKING = """
import os, signal, sys, threading, time, shardine
threading.Thread(target=lambda: shardine.Dataset(sys.argv[1], cache="off")).start()
time.sleep(float(sys.argv[2]))
child = os.fork()
if child == 0:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(20)
    shardine.Dataset(sys.argv[1], cache="off")
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize("delay", ["0.0002", "0.0005", "0.001", "0.002", "0.004"])
def test_a_fork_during_the_first_read_of_a_server_hangs_no_child(
    server: Server, delay: str
) -> None:
    """Concurrency review 7: no lock, turn or guard is taken in a child."""
    for _ in range(max(4, FORKS // 1000)):
        done = subprocess.run(
            [sys.executable, "-c", FORKING, f"{server.url}/set", delay], text=True,
            capture_output=True, timeout=60)
        assert done.stdout == "0\n", done.stderr


OPENING = """
import os, signal, sys, threading, time, shardine
dataset = shardine.Dataset(sys.argv[2], cache=sys.argv[3])
def read():
    return eval(sys.argv[1])
print("opened", flush=True)
os.read(0, 1)
threading.Thread(target=read, daemon=True).start()
time.sleep(0.5)
child = os.fork()
if child == 0:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(20)
    print("forked", flush=True)
    os.read(0, 1)
    read()
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("cache", ["off", "cache"])
@pytest.mark.parametrize("read", [
    "dataset[0]", "next(iter(shardine.Loader(dataset, batch_size=4, raw=True)))"])
def test_a_child_does_not_wait_for_what_a_thread_of_its_parent_asked_for(
    server: Server, tmp_path: pathlib.Path, read: str, cache: str
) -> None:
    """Concurrency review 6 and 17."""
    with subprocess.Popen(
        [sys.executable, "-c", OPENING, read, f"{server.url}/set", cache], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path,
    ) as reading:
        assert reading.stdin is not None and reading.stdout is not None
        assert reading.stdout.readline() == "opened\n"
        server.silent.set()
        reading.stdin.write("x")
        reading.stdin.flush()
        assert reading.stdout.readline() == "forked\n"
        server.silent.clear()
        reading.stdin.write("x")
        reading.stdin.flush()
        assert reading.stdout.readline() == "0\n"


def test_a_child_s_stats_and_parent_s_forks_do_not_wait_for_each_other(
    server: Server,
) -> None:
    """Concurrency review 8."""
    program = """
import os, sys, threading, time, shardine
dataset = shardine.Dataset(sys.argv[1], cache="off")
loader = shardine.Loader(dataset, batch_size=2, raw=True)
stopped = False
def look():
    while not stopped:
        loader.stats()
threading.Thread(target=look).start()
for _ in range(int(sys.argv[2])):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
stopped = True
print("forked")
"""
    done = subprocess.run([sys.executable, "-c", program, f"{server.url}/set", str(FORKS)],
                          text=True, capture_output=True, timeout=60 + FORKS // 10)
    assert done.stdout == "forked\n", done.stderr


def test_a_socket_is_no_reason_to_stop(server: Server) -> None:
    """A program cannot open its standard error again where that is a socket."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        done = subprocess.run([SHARDINE, "verify", f"{server.url}/set"], stderr=theirs.fileno(),
                              stdout=subprocess.PIPE, text=True, timeout=60,
                              env=os.environ | {"SHARDINE_REMOTE_PATIENCE": "5"})
    assert done.returncode == 0


HUNG = """
import os, signal, sys, threading, time, shardine
def later():
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=later, daemon=True).start()
try:
    shardine.Dataset("s3://data/x")
except KeyboardInterrupt:
    print("heard", flush=True)
"""


def test_a_program_that_gives_keys_ends_with_the_python_that_waits_for_it(
    tmp_path: pathlib.Path,
) -> None:
    """Field report D4: after Ctrl-C neither the interpreter's end nor the program
    stays."""
    profile = tmp_path / "config"
    note = tmp_path / "process"
    profile.write_text("[default]\nregion = us-east-1\ncredential_process = "
                       f"sh -c 'echo $$ > {note}; exec sleep 45'\n")
    variables = {name: text for name, text in os.environ.items()
                 if not name.startswith("AWS_")}
    variables |= {"AWS_CONFIG_FILE": str(profile), "AWS_EC2_METADATA_DISABLED": "true",
                  "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
                  "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1"}
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", HUNG], text=True, capture_output=True,
                          timeout=40, env=variables)
    assert (done.returncode, done.stdout) == (0, "heard\n"), done.stderr
    assert time.monotonic() - begun < 20
    process = pathlib.Path(f"/proc/{note.read_text().strip()}/cmdline")
    for _ in range(100):
        if not process.exists() or b"sleep" not in process.read_bytes():
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the program goes on")


PATIENT = """
import sys, time, shardine
dataset = shardine.Dataset(sys.argv[1], cache="off")
loader = shardine.Loader(dataset, batch_size=4, raw=True, threads=2)
print("opened", flush=True)
sys.stdin.readline()
began = time.monotonic()
try:
    for _ in loader:
        pass
except shardine.ShardineError as error:
    print(type(error).__name__, time.monotonic() - began, flush=True)
"""


def test_a_loader_waits_for_a_server_no_longer_than_it_was_told_to(
    server: Server,
) -> None:
    """Field report D4: the promised patience, once, whatever is read ahead."""
    with subprocess.Popen(
        [sys.executable, "-c", PATIENT, f"{server.url}/set"], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=os.environ | {"SHARDINE_REMOTE_PATIENCE": "4"},
    ) as looking:
        assert looking.stdin is not None and looking.stdout is not None
        assert looking.stdout.readline() == "opened\n"
        server.silent.set()
        looking.stdin.write("\n")
        looking.stdin.flush()
        name, seconds = looking.stdout.readline().split()
    assert name == "RemoteError"
    # Under load less is left of the second than it takes.
    assert 3 < float(seconds) < 11


CHANGING = """
import os, sys, threading, time, shardine
stop = time.monotonic() + float(sys.argv[2])
opened = 0
def reader():
    global opened
    while time.monotonic() < stop:
        dataset = shardine.Dataset(sys.argv[1], cache="off")
        for _ in shardine.Loader(dataset, batch_size=8, raw=True, threads=2):
            pass
        opened += 1
threads = [threading.Thread(target=reader) for _ in range(3)]
for thread in threads:
    thread.start()
while time.monotonic() < stop:
    for number in range(2000):
        os.environ[f"SETTING_{number}"] = "1"
    for number in range(2000):
        del os.environ[f"SETTING_{number}"]
for thread in threads:
    thread.join()
print(opened, "opened", file=sys.stderr)
print(opened > 0)
"""


@pytest.mark.parametrize("kind", ["local", "s3"])
def test_the_environment_may_change_while_datasets_are_opened(
    root: pathlib.Path, kind: str
) -> None:
    """Concurrency review 2."""
    with s3_servers.service_of_ours(root) as service:
        done = subprocess.run(
            [sys.executable, "-c", CHANGING,
             str(root / "set") if kind == "local" else "s3://data/set", str(SECONDS)],
            text=True, capture_output=True, timeout=120 + 2 * SECONDS,
            env=s3_servers.environment(service.address))
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    print(done.stderr)
