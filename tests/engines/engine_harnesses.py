"""Engines as tests start them: on this machine, with two workers in processes of their
own where the engine has any, ended by whoever started them."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from shardine.engines import Engine


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(holds: Callable[[], object], seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.05)


class Harness:
    """engine: its name; options: of distribute(). kill_worker: lines of shell that a
    task's program kills its worker with. survives: whether one call does all the same."""

    engine: Engine = "local"
    kill_worker = "kill -KILL $$"
    survives = True
    # Whether a driver goes on when the coordinator was killed and is there again.
    survives_coordinator = True
    # Where one process has tasks of several kinds: all of them.
    alone: dict[str, Any] = {}
    # What is said of a disk that is full.
    full_disk = "(?i)no space"
    # How long tasks have to be for something to happen while they are at work.
    nap = 0.3

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.options: dict[str, Any] = {"workers": 2}
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        pass

    def restart_coordinator(self) -> None:
        """SIGKILL and a new one, where it is no part of the driver."""

    def spawn(self, *words: str, log: str, **more: Any) -> subprocess.Popen[bytes]:
        with open(self.folder / log, "ab") as said:
            process = subprocess.Popen(words, stdout=said, stderr=said,
                                       start_new_session=True, **more)
        self.processes.append(process)
        return process

    def stop(self) -> None:
        """All that was started, and what those started."""
        for name in (signal.SIGTERM, signal.SIGKILL):
            for process in self.processes:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, name)
            time.sleep(0.5)
        for process in self.processes:
            process.wait()


class Dask(Harness):
    engine: Engine = "dask"
    kill_worker = "kill -KILL $PPID"
    survives_coordinator = False

    def start(self) -> None:
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.options = {"address": self.address}
        self.start_cluster()

    def start_cluster(self) -> None:
        self.scheduler = self.spawn(
            sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1",
            "--port", str(self.port), "--no-dashboard", log="scheduler")
        for number in range(2):
            self.spawn(sys.executable, "-m", "distributed.cli.dask_worker", self.address,
                       "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard",
                       "--memory-limit", "0", "--local-directory", str(self.folder),
                       log=f"worker-{number}")

    def restart_coordinator(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()
        self.start_cluster()  # workers end with their scheduler


class Mpi(Harness):
    engine: Engine = "mpi"
    kill_worker = "kill -KILL $PPID"
    alone = {"workers": 1}

    def start(self) -> None:
        self.options = {"workers": 3, "submit": "--oversubscribe"}
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


_SLURM = """ClusterName=t
SlurmctldHost={host}(127.0.0.1)
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmctldPort={ports[0]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=1000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
MaxArraySize={max_array_size}
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=c1 NodeAddr=127.0.0.1 NodeHostname={host} Port={ports[1]} CPUs=1 RealMemory=1000
NodeName=c2 NodeAddr=127.0.0.1 NodeHostname={host} Port={ports[2]} CPUs=1 RealMemory=1000
PartitionName=p Nodes=c[1-2] Default=YES MaxTime=60 State=UP
"""


class Slurm(Harness):
    """One node with two slurmd, each a processor: needs root, as Slurm does."""

    engine: Engine = "slurm"
    kill_worker = "kill -KILL $PPID"  # the job of the task
    survives = False
    full_disk = "no space|left no reason"
    max_array_size = 1001

    def start(self) -> None:
        if os.geteuid() != 0:
            pytest.skip("NOT RUN: Slurm's daemons want to be root")
        self.options = {"stagger": 0}
        # Where munge lets everybody in.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm"))
        self.folder.chmod(0o755)
        host = socket.gethostname().partition(".")[0]
        (self.folder / "slurm.conf").write_text(
            _SLURM.format(folder=self.folder, host=host, max_array_size=self.max_array_size,
                          ports=[free_port() for _ in range(3)]))
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\n")
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        for name in ("state", "spool-c1", "spool-c2"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        munge = f"{self.folder}/munge"
        self.spawn("munged", "--foreground", "--num-threads=2", f"--socket={munge}.socket",
                   f"--key-file={munge}.key", f"--pid-file={munge}.pid",
                   f"--log-file={munge}.log", f"--seed-file={munge}.seed", log="munged")
        wait_until((self.folder / "munge.socket").exists)
        self.start_controller("-c")
        for node in ("c1", "c2"):
            self.spawn("slurmd", "-D", "-N", node, log=node)
        wait_until(lambda: self.said("sinfo", "-h", "-o", "%T %D").split() == ["idle", "2"])

    @staticmethod
    def said(*words: str) -> str:
        return subprocess.run(words, capture_output=True, text=True).stdout

    def start_controller(self, *more: str) -> None:
        self.controller = self.spawn("slurmctld", "-D", *more, log="controller")

    def restart_coordinator(self) -> None:
        self.controller.terminate()  # it saves its state now and then only
        self.controller.wait()
        self.start_controller()

    def stop(self) -> None:
        super().stop()
        if self.folder.name.startswith("slurm"):
            shutil.rmtree(self.folder)


class Ray(Harness):
    """Two nodes of one processor each."""

    engine: Engine = "ray"
    kill_worker = "kill -KILL $PPID"
    survives_coordinator = False
    nap = 1.0

    def start(self) -> None:
        os.environ.update(RAY_AUTH_MODE="token", RAY_USAGE_STATS_ENABLED="0",
                          RAY_AUTH_TOKEN_PATH=str(self.folder / "token"))
        token = self.folder / "token"
        token.touch(0o600)
        token.write_text(os.urandom(32).hex())
        self.address = f"127.0.0.1:{free_port()}"
        self.options = {"address": self.address}
        self.ray = pathlib.Path(sys.executable).with_name("ray")
        self.temporary = self.folder.parent / "r"  # sockets have short names
        self.start_nodes()

    def start_nodes(self) -> None:
        self.start_head()
        self.spawn(str(self.ray), "start", "--block", f"--address={self.address}",
                   "--node-ip-address=127.0.0.1", "--num-cpus=1", "--disable-usage-stats",
                   "--object-store-memory=100000000", log="node")

    def start_head(self) -> None:
        host, _, port = self.address.partition(":")
        self.head = self.spawn(
            str(self.ray), "start", "--head", "--block", f"--node-ip-address={host}",
            f"--port={port}", "--num-cpus=1", "--object-store-memory=100000000",
            "--include-dashboard=false", "--disable-usage-stats",
            f"--temp-dir={self.temporary}", log="head")

        def answers() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex((host, int(port))) == 0

        wait_until(answers)

    def restart_coordinator(self) -> None:
        super().stop()  # nodes end with their head
        self.start_nodes()

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self.temporary, ignore_errors=True)


class Spark(Harness):
    """A session with two executors, which are processes of their own."""

    engine: Engine = "spark"
    kill_worker = "kill -KILL $PPID"
    nap = 1.0

    def start(self) -> None:
        from pyspark.sql import SparkSession

        os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
        self.options = {}
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        for name, value in {"spark.executor.memory": "512m", "spark.ui.enabled": "false",
                            "spark.driver.host": "127.0.0.1", "spark.task.maxFailures": "4",
                            "spark.ui.showConsoleProgress": "false"}.items():
            builder = builder.config(name, value)
        self.session = builder.getOrCreate()

    def stop(self) -> None:
        self.session.stop()


HARNESSES: dict[str, type[Harness]] = {each.engine: each for each in (Harness, Dask, Mpi, Slurm, Ray, Spark)}


@contextlib.contextmanager
def started(engine: str, folder: pathlib.Path) -> Iterator[Harness]:
    harness = HARNESSES[engine](folder)
    try:
        harness.start()
        yield harness
    finally:
        harness.stop()
