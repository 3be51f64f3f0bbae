"""Two hosts, of which one is lost with all that runs on it: the dataset is, byte for
byte, one process's. ENGINE names the engine."""

import os
import pathlib
from collections.abc import Iterator

import pytest
from engine_harnesses import Harness, started, wait_until
from engine_hosts import TwoHosts
from engine_world import World, files_of, kill_driver, shardine, start_driver

from shardine import TaskFailed, distribute

# The first task on host 2 of which a file of a shard is half written stops there, for
# ever.
_HALFWAY = """
if [ "$(stat -L -c %i /proc/self/ns/net)" = {host_2} ]; then
  "$real" "$@" &
  writes() {{ ls -l /proc/$!/fd 2>/dev/null | grep -q 'train-.*\\.tmp'; }}
  while kill -0 $! 2>/dev/null; do
    writes && kill -STOP $! && sleep 0.05 && writes && first halfway && break
    kill -CONT $! 2>/dev/null
  done
  wait $!
  exit
fi
sleep {nap}
"""


@pytest.fixture(scope="module")
def hosts() -> Iterator[TwoHosts]:
    if os.environ["ENGINE"] == "local":
        pytest.skip("the engine local has one host")
    hosts = TwoHosts()
    yield hosts
    hosts.close()


@pytest.fixture(scope="module")
def harness(
    hosts: TwoHosts, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Harness]:
    folder = tmp_path_factory.mktemp("engine")
    with started(os.environ["ENGINE"], folder, hosts) as harness:
        yield harness


def test_what_a_lost_host_was_at_is_done_by_the_other(
    harness: Harness, hosts: TwoHosts, tmp_path: pathlib.Path
) -> None:
    world = World(tmp_path, "--variants=original,sz/160", copies=20)
    plan = world.plan()
    program = world.program(_HALFWAY.format(host_2=hosts.inode(2), nap=harness.nap))
    driver = start_driver(plan, harness.engine, {**harness.options, "program": program})
    try:
        wait_until(lambda: list(world.marks.glob("*.halfway")) and world.tasks_done() >= 2)
        halfway = list(world.out.rglob(".*train-*.tmp"))
        assert any("run-task" in words for words in harness.lose_host_2())
        assert halfway and not (world.out / "shardine.json").exists()
        if harness.survives_host:
            assert driver.wait(240) == 0
        else:
            assert driver.wait(60) != 0
            with pytest.raises(TaskFailed, match="No route to host"):
                distribute(plan, harness.engine, **harness.options)
            options = harness.without_host_2()
            assert distribute(plan, harness.engine, **options).finished
    finally:
        kill_driver(driver)
    assert hosts.kill(2) == []  # nobody there did any of it
    assert files_of(world.out) == world.packed()
    shardine("verify", world.out)
