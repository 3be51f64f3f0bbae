"""The lines of tools/README.md for engines that need no adapter, as they stand
there."""

import os
import pathlib
import re
import subprocess

import pytest
from engine_world import SHARDINE, TASKS, World, files_of, shardine

README = pathlib.Path(__file__).parents[2] / "tools" / "README.md"


@pytest.fixture
def world(tmp_path: pathlib.Path) -> World:
    if os.environ["ENGINE"] != "local":
        pytest.skip("once is enough: with the engine local")
    return World(tmp_path)


def line_with(word: str) -> str:
    """The one line of the page's code that has it."""
    code = "\n".join(re.findall(r"```sh\n(.*?)```", README.read_text(), re.DOTALL))
    [line] = [line for line in code.splitlines() if word in line]
    return line


def run(world: World, line: str, **environment: str) -> None:
    path = f"{pathlib.Path(SHARDINE).parent}:{os.environ['PATH']}"
    subprocess.run(["bash", "-c", line], cwd=world.folder, check=True,
                   env={**os.environ, "PATH": path, **environment})


def test_gnu_parallel_does_the_tasks(world: World) -> None:
    world.plan()
    run(world, line_with("parallel "))
    shardine("finalize", world.plan_file)
    assert files_of(world.out) == world.packed()


@pytest.mark.parametrize("variable", ["JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"])
def test_an_index_of_the_environment_is_a_task(world: World, variable: str) -> None:
    world.plan()
    line = line_with("--index-from-env")
    for number in range(TASKS):
        run(world, line, **{variable: str(number)})
        assert world.tasks_done() == number + 1
    shardine("finalize", world.plan_file)
    assert files_of(world.out) == world.packed()
