"""One suite for every engine, which ENGINE names: the dataset is, byte for byte, one
process's, whatever happens to workers, tasks and coordinators on the way."""

import importlib
import json
import os
import pathlib
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest
from engine_harnesses import Harness, started, wait_until
from engine_world import (
    TASKS,
    World,
    files_of,
    kill_driver,
    marks_of,
    shardine,
    start_driver,
)

from shardine import TaskFailed, distribute, verify
from shardine.engines.follow import LOST
from shardine.engines.task import Job


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    with started(os.environ["ENGINE"], tmp_path_factory.mktemp("engine")) as harness:
        yield harness


@pytest.fixture
def world(tmp_path: pathlib.Path) -> World:
    return World(tmp_path)


def test_the_files_are_those_of_one_process(harness: Harness, world: World) -> None:
    told: list[tuple[int, int]] = []
    done = distribute(world.plan(), harness.engine, **harness.options,
                      progress=lambda now: told.append((now.tasks, now.tasks_total)))
    assert (done.tasks, done.run, done.finished, done.rejected) == (TASKS, TASKS, True, False)
    assert told == [(number + 1, TASKS) for number in range(TASKS)]
    assert files_of(world.out) == world.packed()


def test_a_second_call_writes_nothing(harness: Harness, world: World) -> None:
    plan = world.plan()
    distribute(plan, harness.engine, **harness.options)
    before = marks_of(world.out)
    again = distribute(plan, harness.engine, **harness.options)
    assert (again.run, again.finished) == (0, True)
    assert marks_of(world.out) == before


@pytest.mark.parametrize("count", [1, 3, 7])
def test_any_number_of_workers_gives_the_same_files(
    harness: Harness, world: World, count: int
) -> None:
    options = harness.with_workers(count)
    driver = start_driver(world.plan(), harness.engine, options)
    try:
        assert driver.wait(120) == 0
    finally:
        kill_driver(driver)
    assert files_of(world.out) == world.packed()


def test_an_engine_that_does_finished_tasks_again_writes_nothing(
    harness: Harness, world: World
) -> None:
    plan = world.plan()
    distribute(plan, harness.engine, finalize=False, **harness.options)
    before = marks_of(world.out)
    again = world.program('"$real" "$@"; code=$?; echo $code >> "$0.codes"; exit $code')
    adapter = importlib.import_module(f"shardine.engines.{harness.engine}")
    job = Job(plan, again, 1)
    assert all(each.is_done for each in adapter.run(job, list(range(TASKS)), **harness.options))
    codes = pathlib.Path(again + ".codes")
    wait_until(lambda: codes.read_text().split() == ["0"] * harness.attempts)
    assert marks_of(world.out) == before
    shardine("finalize", plan)
    assert files_of(world.out) == world.packed()


def test_tasks_done_twice_at_once_give_the_same_files(harness: Harness, world: World) -> None:
    twice = world.program('"$real" "$@" & "$real" "$@"; a=$?; wait $!; exit $((a + $?))')
    distribute(world.plan(), harness.engine, program=twice, **harness.options)
    assert files_of(world.out) == world.packed()


def test_a_task_whose_worker_is_killed_is_done_by_another(
    harness: Harness, world: World
) -> None:
    plan = world.plan()
    deadly = world.program(
        f'if [ "$task" = 2 ] && first killed; then {harness.kill_worker}; sleep 5; fi')
    if harness.survives:
        distribute(plan, harness.engine, program=deadly, **harness.options)
    else:
        with pytest.raises(TaskFailed) as caught:
            distribute(plan, harness.engine, program=deadly, **harness.options)
        assert [each.task for each in caught.value.failures] == [2]
        assert distribute(plan, harness.engine, **harness.options).run == 1
    assert (world.marks / "2.killed").exists()
    assert files_of(world.out) == world.packed()


def poison(world: World) -> str:
    """The key of an image that is damaged now."""
    image = sorted(world.photos.glob("*/*.JPEG"))[3]
    image.write_bytes(image.read_bytes()[:100])
    return f"{image.parent.name}/{image.name}"


def test_a_bad_image_fails_its_task_alone_and_is_named(harness: Harness, world: World) -> None:
    key = poison(world)
    plan = world.plan()
    with pytest.raises(TaskFailed) as caught:
        distribute(plan, harness.engine, **{**harness.options, **harness.alone})
    assert [each.code for each in caught.value.failures] == [1]
    assert key in str(caught.value) and f"of {TASKS}" not in str(caught.value)
    assert world.tasks_done() == TASKS - 1
    assert not (world.out / "shardine.json").exists()


@pytest.mark.parametrize(("on_bad", "code"), [("skip", 3), ("quarantine", 3), ("keep", 0)])
def test_bad_inputs_are_dealt_with_as_by_one_process(
    harness: Harness, tmp_path: pathlib.Path, on_bad: str, code: int
) -> None:
    world = World(tmp_path, f"--on-bad={on_bad}")
    poison(world)
    done = distribute(world.plan(), harness.engine, **harness.options)
    assert (done.finished, done.rejected) == (True, code == 3)
    assert files_of(world.out) == world.packed(code)


def test_a_source_that_vanished_is_named_and_there_again_all_is_done(
    harness: Harness, world: World
) -> None:
    plan = world.plan()
    image = sorted(world.photos.glob("*/*.JPEG"))[3]
    image.rename(world.folder / "gone")
    with pytest.raises(TaskFailed, match=image.name) as caught:
        distribute(plan, harness.engine, **{**harness.options, **harness.alone})
    [failure] = caught.value.failures
    assert failure.code == 7
    [known] = json.loads(shardine("status", plan, "--json"))["failed"]
    assert known["task"] == failure.task and image.name in known["reason"]
    (world.folder / "gone").rename(image)
    assert distribute(plan, harness.engine, **harness.options).run == 1
    assert files_of(world.out) == world.packed()


def test_a_source_that_changed_since_the_plan_is_no_matter_of_tries(
    harness: Harness, world: World
) -> None:
    plan = world.plan()
    poison(world)
    counted = world.program('echo "$task" >> "$0.tries"')
    with pytest.raises(TaskFailed) as caught:
        distribute(plan, harness.engine, program=counted, **harness.options)
    assert [each.code for each in caught.value.failures] == [7]
    tries = pathlib.Path(counted + ".tries").read_text().split()
    assert tries.count(str(caught.value.failures[0].task)) <= 1


def mount(folder: pathlib.Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT RUN: only root can make a small disk")
def test_a_full_disk_fails_tasks_that_the_same_call_does_later(
    harness: Harness, world: World
) -> None:
    whole = world.packed()
    disk = world.folder / "disk"
    disk.mkdir()
    mount(disk, f"size={sum(map(len, whole.values())) // 2}")
    try:
        plan = world.plan(disk / "out")
        with pytest.raises(TaskFailed, match=harness.full_disk) as caught:
            distribute(plan, harness.engine, retries=0, **harness.options)
        # There is no room for a reason, either.
        assert {each.code for each in caught.value.failures} <= {5, LOST}
        mount(disk, "remount,size=64m")
        assert 0 < distribute(plan, harness.engine, **harness.options).run <= TASKS
        assert files_of(world.out) == whole
    finally:
        subprocess.run(["umount", disk], check=True)


def test_what_a_killed_driver_left_is_gone_on_with(harness: Harness, world: World) -> None:
    plan = world.plan()
    options = {**harness.options, "program": world.program(f"sleep {harness.nap}")}
    driver = start_driver(plan, harness.engine, options)
    wait_until(lambda: world.tasks_done() >= 2)
    kill_driver(driver)
    harness.restart_coordinator()
    done = distribute(plan, harness.engine, **harness.options)
    assert done.run < TASKS and done.finished
    assert files_of(world.out) == world.packed()


def test_a_coordinator_that_restarts_is_waited_for(harness: Harness, world: World) -> None:
    if type(harness).restart_coordinator is Harness.restart_coordinator:
        pytest.skip(f"the coordinator of {harness.engine} is the driver")
    slow = world.program(f"sleep {harness.nap}")
    driver = start_driver(world.plan(), harness.engine, {**harness.options, "program": slow})
    wait_until(lambda: world.tasks_done() >= 2)
    harness.restart_coordinator()
    if harness.survives_coordinator:
        assert driver.wait(120) == 0
    else:
        kill_driver(driver)
        distribute(world.plan_file, harness.engine, **harness.options)
    assert files_of(world.out) == world.packed()


def test_an_interrupted_call_ends_and_is_gone_on_with(harness: Harness, world: World) -> None:
    slow = world.program("sleep 2")
    driver = start_driver(world.plan(), harness.engine, {**harness.options, "program": slow})
    wait_until(lambda: world.tasks_done() >= 1)
    driver.send_signal(signal.SIGINT)
    assert driver.wait(30) != 0
    done = world.tasks_done()
    time.sleep(4)  # Dask's tasks that had begun come to their end
    assert world.tasks_done() <= done + 3
    assert distribute(world.plan_file, harness.engine, **harness.options).finished
    assert files_of(world.out) == world.packed()


def test_the_command_does_the_same(harness: Harness, world: World) -> None:
    flags = [f"--{name}={value}" for name, value in harness.options.items()]
    plan = world.plan()
    words = ["run", plan, "--engine", harness.engine, "--json", *flags]
    said = json.loads(shardine(*words, "--no-finalize"))
    assert (said["tasks"], said["run"], said["finished"]) == (TASKS, TASKS, False)
    said = json.loads(shardine(*words))
    assert (said["run"], said["finished"]) == (0, True)
    assert files_of(world.out) == world.packed()


def test_a_verification_gives_the_report_of_one_process(
    harness: Harness, world: World
) -> None:
    world.packed()
    dataset = world.folder / "whole"
    shard = next(dataset.glob("train-00003-*.rec"))
    shard.write_bytes(shard.read_bytes()[:-100])
    plan = world.folder / "verify.plan"
    shardine("plan", "verify", dataset, "--task-size=1", "--to", plan)
    done = distribute(plan, harness.engine, **harness.options)
    assert (done.tasks, done.run, done.finished, done.rejected) == (TASKS, TASKS, True, False)
    assert done.verified == verify(dataset)
    assert not done.verified.sound
    again = distribute(plan, harness.engine, **harness.options)
    assert (again.run, again.verified) == (0, done.verified)
    said = shardine("run", plan, "--engine", harness.engine, code=4).splitlines()
    assert said[0] == f"0 of {TASKS} tasks run by {harness.engine}; finished"
    assert said[1].startswith(f"{shard}: ")
    assert said[-1].startswith(f"{dataset}: {len(done.verified.findings)} finding")
