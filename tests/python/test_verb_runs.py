"""A verb at work: its progress, Ctrl-C, other threads."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import types
from typing import Any

import pytest
from command_line import files_of
from conftest import PHOTOS

import shardine


def slow_pack(out: pathlib.Path, **options: Any) -> shardine.PackResult:
    """Takes some seconds: it makes images larger."""
    return shardine.pack(PHOTOS, out, variants="original,sz/1600", jobs=1, **options)


def test_progress_is_told_on_the_thread_that_called(tmp_path: pathlib.Path) -> None:
    told: list[tuple[int, shardine.Progress]] = []
    shardine.pack(
        PHOTOS,
        tmp_path / "out",
        variants="original,sz/400",
        progress=lambda now: told.append((threading.get_ident(), now)),
    )
    assert {thread for thread, _ in told} == {threading.get_ident()}
    counts = [now.samples for _, now in told]
    assert counts == sorted(counts)
    last = told[-1][1]
    assert last.samples == last.samples_total == 24 and last.rejected == 0


def test_what_progress_raises_ends_the_work(
    tmp_path: pathlib.Path,
) -> None:
    def stop(now: shardine.Progress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        slow_pack(tmp_path / "out", progress=stop)
    assert not (tmp_path / "out" / "shardine.json").exists()


INTERRUPTED = """
import os, signal, sys, time
import shardine
started = []
def interrupt(now):
    if not started:
        started.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
try:
    shardine.pack(sys.argv[1], sys.argv[2], variants="original,sz/1600", jobs=1,
                  shards=24, progress=interrupt)
except KeyboardInterrupt:
    print(time.monotonic() - started[0])
"""


def test_ctrl_c_ends_a_pack_soon_and_it_goes_on_from_there(
    tmp_path: pathlib.Path,
) -> None:
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(PHOTOS), str(out)],
        check=True,
        stdout=subprocess.PIPE,
    )
    assert 0 <= float(done.stdout) < 2
    assert not (out / "shardine.json").exists()
    options: Any = {"variants": "original,sz/1600", "shards": 24}
    shardine.pack(PHOTOS, out, **options)
    shardine.pack(PHOTOS, tmp_path / "undisturbed", **options)
    assert files_of(out) == files_of(tmp_path / "undisturbed")


def test_other_threads_run_while_a_verb_works(tmp_path: pathlib.Path) -> None:
    done = threading.Event()
    pauses = []

    def watch() -> None:
        last = time.monotonic()
        while not done.wait(0.005):
            pauses.append(time.monotonic() - last)
            last = time.monotonic()

    thread = threading.Thread(target=watch)
    thread.start()
    slow_pack(tmp_path / "out")
    done.set()
    thread.join()
    assert len(pauses) > 5  # else it waited until the end


def test_a_signal_that_python_handles_does_not_end_the_work(
    tmp_path: pathlib.Path,
) -> None:
    seen: list[int] = []

    def told(now: shardine.Progress) -> None:
        if not seen:
            os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        slow_pack(tmp_path / "out", progress=told)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [signal.SIGUSR1]


class Bar:
    """tqdm's class, as far as it is called."""

    made: list["Bar"] = []

    def __init__(self, desc: str, unit: str, leave: bool) -> None:
        self.desc, self.n, self.closed = desc, 0, False
        self.total: int | None = None
        Bar.made.append(self)

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *exception: object) -> None:
        self.closed = True

    def reset(self, total: Any) -> None:
        self.n = 0

    def update(self, more: int) -> None:
        self.n += more


def with_tqdm(monkeypatch: pytest.MonkeyPatch, auto: Any) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    Bar.made.clear()


def test_a_bar_is_drawn_where_it_is_asked_for(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_tqdm(monkeypatch, types.SimpleNamespace(tqdm=Bar))
    shardine.pack(PHOTOS, tmp_path / "out", progress=True)
    (bar,) = Bar.made
    assert (bar.desc, bar.total, bar.n, bar.closed) == ("packing", 24, 24, True)


def test_a_bar_is_drawn_by_itself_in_a_terminal_alone(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_tqdm(monkeypatch, types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    shardine.verify(packed)
    assert not Bar.made
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shardine.verify(packed, progress=False)
    assert not Bar.made
    shardine.verify(packed)
    assert [bar.desc for bar in Bar.made] == ["verifying"]


def test_without_tqdm_a_bar_that_is_asked_for_is_an_import_error(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_tqdm(monkeypatch, None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert shardine.verify(packed).sound
    with pytest.raises(ImportError, match="tqdm; a function or False does not"):
        shardine.verify(packed, progress=True)
