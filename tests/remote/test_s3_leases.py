"""A run that stood still for a while takes nothing from the run that took over, and
attempts at one task leave each other's uploads alone."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import botocore.client
import pytest

import s3_proxy
import s3_servers
from s3_objects import there
from shardine_program import SHARDINE, output

pytest_plugins = ["own_cache", "places"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
OTHER = b"shardine is at work here\n0123\nother-host\nboot/1\n77 88\n"


@pytest.fixture
def client(weed: str) -> botocore.client.BaseClient:
    return s3_servers.client(weed)


def wait_for(proxy: s3_proxy.Proxy, method: str, part: str) -> None:
    for _ in range(600):
        if any(each == method and part in target for each, target in list(proxy.asked)):
            return
        time.sleep(0.02)
    raise AssertionError(f"no {method} of {part}: {proxy.asked}")


def test_a_run_that_was_taken_over_publishes_no_manifest(
    weed: str, proxy: s3_proxy.Proxy, client: botocore.client.BaseClient
) -> None:
    """Concurrency review 4. Less than a renewal's time passes."""
    with subprocess.Popen([SHARDINE, "pack", PHOTOS, "s3://data/over", "-j1"], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as first:
        wait_for(proxy, "PUT", "over/.pack/journal")
        first.send_signal(signal.SIGSTOP)
        client.put_object(Bucket="data", Key="over/.pack/lock", Body=OTHER)
        first.send_signal(signal.SIGCONT)
        words = first.communicate(timeout=120)[1]
    assert first.returncode == 1, words
    assert "another run of shardine took this folder over" in words
    held = there(weed, "over/")
    assert "shardine.json" not in held
    assert held[".pack/lock"] == OTHER


def test_a_run_whose_sign_is_gone_publishes_no_manifest(
    weed: str, proxy: s3_proxy.Proxy, client: botocore.client.BaseClient
) -> None:
    """Concurrency review 4."""
    with subprocess.Popen([SHARDINE, "pack", PHOTOS, "s3://data/gone", "-j1"], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as first:
        wait_for(proxy, "PUT", "gone/.pack/journal")
        first.send_signal(signal.SIGSTOP)
        client.delete_object(Bucket="data", Key="gone/.pack/lock")
        first.send_signal(signal.SIGCONT)
        words = first.communicate(timeout=120)[1]
    assert first.returncode == 1, words
    assert "shardine.json" not in there(weed, "gone/")


def test_the_sign_changes_when_it_is_renewed(
    weed: str, proxy: s3_proxy.Proxy
) -> None:
    """Concurrency review 4: an earlier read is no condition any more."""
    texts: set[bytes] = set()
    client = s3_servers.client(weed)

    def fate(_: int, method: str, target: str) -> s3_proxy.Fate:
        if method == "PUT" and "shardine.json" in target:
            texts.add(client.get_object(Bucket="data", Key="sign/.pack/lock")["Body"].read())
        if method == "PUT" and "journal" in target:
            texts.add(client.get_object(Bucket="data", Key="sign/.pack/lock")["Body"].read())
        return "forward"

    proxy.fate = fate
    output("pack", PHOTOS, "s3://data/sign")
    proxy.fate = lambda *_: "forward"
    assert len(texts) >= 2


def test_attempts_at_a_task_end_no_upload_of_each_other(
    weed: str, proxy: s3_proxy.Proxy, client: botocore.client.BaseClient,
    tmp_path: pathlib.Path
) -> None:
    """Concurrency review 3: one stands still between its parts, the other does all."""
    from test_s3_writing import many_photos
    tree = many_photos(tmp_path / "tree")
    plan = tmp_path / "plan"
    output("plan", "pack", tree, "s3://data/three", "--to", plan, "--shard-size=1G")
    with subprocess.Popen([SHARDINE, "run-task", plan, "0", "-j1"], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as first:
        wait_for(proxy, "PUT", "partNumber=")
        first.send_signal(signal.SIGSTOP)
        try:
            output("run-task", plan, "0", "-j1")
            assert not any(method == "DELETE" and "uploadId" in target
                           for method, target in proxy.asked)
        finally:
            first.send_signal(signal.SIGCONT)
        words = first.communicate(timeout=120)[1]
    assert first.returncode == 0, words
    output("finalize", plan)
    assert "sound" in output("verify", "s3://data/three")


def test_a_holder_that_proc_hides_is_not_taken_for_dead(
    proxy: s3_proxy.Proxy, tmp_path: pathlib.Path
) -> None:
    """Concurrency review 5: /proc of login nodes hides the processes of others."""
    hidden = ["unshare", "--mount", "sh", "-c", "mount -t proc -o hidepid=2 proc /proc && "
              "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"", "sh"]
    if os.getuid() != 0 or subprocess.run([*hidden, "true"], capture_output=True).returncode:
        pytest.skip("only root can mount such a /proc")
    program = pathlib.Path("/tmp") / f"shardine-hidden-{os.getpid()}"
    shutil.copy(SHARDINE, program)
    program.chmod(0o755)
    tree = pathlib.Path(f"{program}-tree")
    shutil.copytree(PHOTOS / "terriers", tree / "terriers")
    tree.chmod(0o755)
    try:
        with subprocess.Popen([SHARDINE, "pack", PHOTOS, "s3://data/hidden", "-j1"],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as first:
            wait_for(proxy, "PUT", "hidden/.pack/journal")
            first.send_signal(signal.SIGSTOP)
            try:
                second = subprocess.run(
                    [*hidden, program, "pack", tree, "s3://data/hidden"], text=True,
                    capture_output=True, timeout=100,
                    env={**os.environ, "HOME": "/nonexistent",
                         "XDG_CACHE_HOME": "/nonexistent"})
            finally:
                first.send_signal(signal.SIGCONT)
            assert second.returncode == 1, second.stderr
            assert "another run of shardine is at work" in second.stderr
            assert f"process {first.pid} of" in second.stderr
            assert first.wait(timeout=120) == 0
    finally:
        program.unlink()
        shutil.rmtree(tree)
