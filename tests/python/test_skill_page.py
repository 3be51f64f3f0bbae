"""The commands and calls of the page for assistants work as written, in its order."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
import shardine

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "python/shardine/SKILL.md").read_text()


def test_the_page_is_short_and_has_ten_tasks() -> None:
    assert len(PAGE.splitlines()) <= 150
    tasks = re.split(r"^## \d+\. ", PAGE, flags=re.MULTILINE)[1:]
    assert len(tasks) == 10
    assert all("```sh" in task and "```python" in task for task in tasks)


def test_every_block_of_the_page_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "testdata/photos", tmp_path / "photos")
    monkeypatch.chdir(tmp_path)
    programs = pathlib.Path(os.environ["SHARDINE"]).parent
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    names: dict[str, object] = {"shardine": shardine}
    for kind, block in re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, re.M | re.S):
        if kind == "python":
            exec(block, names)
        else:
            subprocess.run(["bash", "-ec", block], check=True)
