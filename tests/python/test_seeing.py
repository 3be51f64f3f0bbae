"""Where the time goes: traces, and the best possible rate."""

import json
import pathlib
import xml.etree.ElementTree
from collections import Counter
from typing import Any

import numpy
import pytest

import shardine


def load(dataset: pathlib.Path, **options: Any) -> shardine.Loader:
    options.setdefault("transform", shardine.RandomResizedCrop((16, 24)))
    return shardine.Loader(dataset, batch_size=4, threads=2, **options)


def test_a_trace_has_each_sample_read_and_decoded(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with load(packed, trace_events=10_000) as loader:
        positions = [int(p) for batch in loader for p in batch.positions]
        loader.write_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = trace["traceEvents"]
    lanes = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    assert {"reader 0", "decoder 0", "decoder 1", "consumer"} <= set(lanes.values())
    for what, thread in (("read", "reader"), ("decode", "decoder")):
        done = [e for e in events if e["ph"] == "X" and e["name"] == what]
        # And some of the next epoch.
        assert Counter(e["args"]["item"] for e in done) >= Counter(positions)
        assert all(lanes[e["tid"]].startswith(thread) for e in done)
        assert all(e["ts"] >= 0 and e["dur"] > 0 for e in done)
    waits = [e for e in events if e["name"] == "wait for a batch"]
    assert waits and all(lanes[e["tid"]] == "consumer" for e in waits)


def test_a_trace_keeps_the_latest_events(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with load(packed, trace_events=5) as loader:
        list(loader)
        loader.write_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert sum(e["ph"] == "X" for e in trace["traceEvents"]) == 5


def test_a_trace_replaces_a_trace_alone(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    own = tmp_path / "trace.json"
    foreign = tmp_path / "notes.json"
    foreign.write_text("{}")
    with load(packed, trace_events=5) as loader:
        list(loader)
        for _ in range(2):
            loader.write_trace(own)
        for path in (foreign, packed / "shardine.json"):
            before = path.read_bytes()
            with pytest.raises(ValueError, match="is no trace"):
                loader.write_trace(path)
            assert path.read_bytes() == before


def test_without_events_there_is_no_trace(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with load(packed) as loader:
        list(loader)
        with pytest.raises(ValueError, match="trace_events"):
            loader.write_trace(tmp_path / "trace.json")
    assert not (tmp_path / "trace.json").exists()


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_synthetic_batches_look_like_real_ones(
    packed: pathlib.Path, dtype: str
) -> None:
    options = {} if dtype == "uint8" else {"std": (50, 50, 50)}
    real = list(load(packed, dtype=dtype, **options))
    with load(packed, dtype=dtype, synthetic=True, **options) as loader:
        assert len(loader) == len(real)
        made_up = list(loader)
        assert loader.stats().bytes == 0
        assert loader.epoch == 1
    for one, other in zip(real, made_up, strict=True):
        assert one.images.shape == other.images.shape
        assert one.images.dtype == other.images.dtype
        assert one.images.strides == other.images.strides
        assert one.labels.dtype == other.labels.dtype
        assert len(other.ids) == len(other.labels) == len(other)
        assert len(numpy.unique(other.images)) > 100


def test_synthetic_batches_have_each_position_once(packed: pathlib.Path) -> None:
    with load(packed, synthetic=True) as loader:
        assert sorted(i for batch in loader for i in batch.ids) == list(range(24))


def test_synthetic_bytes_are_refused(packed: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="synthetic: needs a transform"):
        load(packed, transform=None, raw=True, synthetic=True)


def test_a_plot_shows_the_rate_and_the_stages_over_time(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with load(packed) as loader:
        assert "nothing was read yet" in loader.stats().plot().svg
        for _ in range(3):
            list(loader)
        plot = loader.stats().plot()
    root = xml.etree.ElementTree.fromstring(plot.svg)
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"read", "decode", "deliver", "waits for input"} <= set(texts)
    assert any("bottleneck" in (text or "") for text in texts)
    assert plot._repr_svg_() == plot.svg
    path = tmp_path / "rates.svg"
    for _ in range(2):
        plot.save(path)
    assert path.read_text() == plot.svg
    foreign = tmp_path / "drawing.svg"
    foreign.write_text("<svg/>")
    with pytest.raises(ValueError, match="is no plot"):
        plot.save(foreign)
    assert foreign.read_text() == "<svg/>"
