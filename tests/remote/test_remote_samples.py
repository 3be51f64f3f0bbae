"""Everyone's own loop over a dataset on a server: its samples are read together."""

import collections
import pathlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

import s3_servers
import shardine
from test_remote_waits import Server

pytest_plugins = ["own_cache", "places"]
DELAY = 0.1


class Late(Server):
    """Answers each request after DELAY, and counts how many wait at a time."""

    def __init__(self, root: pathlib.Path) -> None:
        super().__init__(root)
        waiting, lock = collections.Counter[str](), threading.Lock()
        self.most = 0
        handler = self.server.RequestHandlerClass
        answer = handler.func.do_GET  # type: ignore[attr-defined]

        def do_get(request: object) -> None:
            with lock:
                waiting["now"] += 1
                self.most = max(self.most, waiting["now"])
            time.sleep(DELAY)
            with lock:
                waiting["now"] -= 1
            answer(request)

        handler.func.do_GET = do_get  # type: ignore[attr-defined]


@pytest.fixture
def late(root: pathlib.Path) -> Iterator[Late]:
    server = Late(root)
    with s3_servers.serving(server.server):
        yield server


def seconds(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


LOOPS: dict[str, Callable[[shardine.Dataset], Sequence[shardine.Sample]]] = {
    "a batch": lambda dataset: dataset.__getitems__(range(len(dataset))),
    "any order": lambda dataset: dataset.samples_at([5, 0, -1, 3, 3, 17]),
    "a slice": lambda dataset: list(dataset[2:20:2]),
    "a batch of a selection": lambda dataset: dataset[3:20].__getitems__([4, 0, 9]),
    "all": lambda dataset: list(dataset),
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("cache", ["off", "cache"])
def test_samples_are_read_together(
    late: Late, root: pathlib.Path, tmp_path: pathlib.Path, loop: str, cache: str
) -> None:
    where = cache if cache == "off" else tmp_path / cache
    far = shardine.Dataset(f"{late.url}/set", cache=where)
    near = shardine.Dataset(root / "set")
    first = seconds(lambda: far[0])
    got: list[shardine.Sample] = []
    took = seconds(lambda: got.extend(LOOPS[loop](far)))
    assert got == list(LOOPS[loop](near))
    # One by one it would be a wait for each.
    assert took < max(first, DELAY) * 5, (first, took)
    assert late.most > 2


def test_a_subclass_with_samples_of_its_own_is_asked_for_each(
    root: pathlib.Path
) -> None:
    class Numbers(shardine.Dataset):
        def __getitem__(self, position: int | slice) -> object:
            return position

    class Renamed(shardine.Dataset):
        def sample(self, position: int) -> shardine.Sample:
            return super().sample(position)._replace(key="mine")

    numbers = Numbers(root / "set")
    assert numbers.__getitems__([3, 1]) == [3, 1]
    assert list(numbers)[:3] == [0, 1, 2]
    renamed = Renamed(root / "set")
    assert [each.key for each in renamed.__getitems__([3, 1])] == ["mine", "mine"]
    assert {each.key for each in renamed.select([1, 2])} == {"mine"}


def test_a_sample_that_cannot_be_read_ends_an_iteration_where_it_is(
    late: Late, root: pathlib.Path
) -> None:
    shutil.copytree(root / "set", root / "hurt")
    key, image = (sample := shardine.Dataset(root / "set")[5]).key, sample.bytes
    for shard in (root / "hurt").glob("*.rec"):
        whole = shard.read_bytes()
        shard.write_bytes(whole.replace(image[100:200], bytes(100)))
    dataset = shardine.Dataset(f"{late.url}/hurt", cache="off")
    keys = []
    with pytest.raises(shardine.CorruptError, match=key):
        for sample in dataset:
            keys.append(sample.key)
    assert len(keys) == 5
    with pytest.raises(shardine.CorruptError, match=key):
        dataset.samples_at(range(10))


def test_positions_outside_are_refused(root: pathlib.Path) -> None:
    dataset = shardine.Dataset(root / "set")
    with pytest.raises(IndexError, match="position 400"):
        dataset.samples_at([0, 400])
    with pytest.raises(TypeError):
        dataset.__getitems__(["a"])  # type: ignore[list-item]
    assert dataset.__getitems__([]) == []
