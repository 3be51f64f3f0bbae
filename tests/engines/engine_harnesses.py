"""Engines as tests start them: with two workers in processes of their own where the
engine has any, on this machine or one on each of two hosts. The test that started them
ends them."""

import contextlib
import os
import pathlib
import shlex
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
from engine_hosts import Loopback, TwoHosts
from engine_world import TASKS
from free_ports import free_port

from shardine.engines import Engine, slurm


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
    # Whether one call does all the same, when the host of one of two workers is lost.
    survives_host = True
    # Whether a driver goes on when the coordinator was killed and has restarted.
    survives_coordinator = True
    # Where one process has tasks of several kinds: all of them.
    alone: dict[str, Any] = {}
    # The message for a full disk.
    full_disk = "(?i)no space"
    # How long tasks have to be for something to happen while they are at work.
    nap = 0.3
    # How many processes do all tasks once more; of MPI, ranks.
    attempts = TASKS

    def __init__(self, folder: pathlib.Path, hosts: Loopback | None = None) -> None:
        self.folder = folder
        self.hosts = hosts or Loopback()
        self.options: dict[str, Any] = {"workers": 2}
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        pass

    def with_workers(self, count: int) -> dict[str, Any]:
        """Options for so many tasks at a time, with a driver that starts its own."""
        return {"workers": count}

    def without_host_2(self) -> dict[str, Any]:
        """Options for a driver that a lost host has ended."""
        return self.options

    def lose_host_2(self) -> list[str]:
        """The commands of the killed processes."""
        assert isinstance(self.hosts, TwoHosts)
        return self.hosts.kill(2)

    def restart_coordinator(self) -> None:
        """SIGKILL and a new one, where it is no part of the driver."""

    def spawn(
        self, *words: str, log: str, host: int = 1, **more: Any
    ) -> subprocess.Popen[bytes]:
        words = (*self.hosts.words(host), *words)
        with open(self.folder / log, "ab") as said:
            process = subprocess.Popen(words, stdout=said, stderr=said,
                                       start_new_session=True, **more)
        self.processes.append(process)
        return process

    def stop(self) -> None:
        """All started processes, and their children."""
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
        self.address = f"tcp://{self.hosts.address(1)}:{self.port}"
        self.options = {"address": self.address}
        self.start_cluster()

    def start_cluster(self) -> None:
        self.scheduler = self.spawn(
            sys.executable, "-m", "distributed.cli.dask_scheduler", "--host",
            self.hosts.address(1), "--port", str(self.port), "--no-dashboard",
            log="scheduler")
        for host in (1, 2):
            self.spawn(sys.executable, "-m", "distributed.cli.dask_worker", self.address,
                       "--host", self.hosts.address(host), "--nthreads", "1",
                       "--no-dashboard", "--memory-limit", "0", "--local-directory",
                       str(self.folder), log=f"worker-{host}", host=host)

    def restart_coordinator(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()
        self.start_cluster()  # workers end with their scheduler


# The stand-in for ssh that mpirun calls: HOST COMMAND...
_AGENT = """#!/bin/sh
host=$1 && shift
if [ -e {folder}/lost ]; then
  echo "ssh: connect to host $host port 22: No route to host" >&2
  exit 255
fi
exec {host_2} sh -c "$*"
"""


class Mpi(Harness):
    engine: Engine = "mpi"
    kill_worker = "kill -KILL $PPID"
    alone = {"workers": 1}
    survives_host = False
    attempts = 3

    def start(self) -> None:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.options = {"workers": 3, "submit": "--oversubscribe"}
        if isinstance(self.hosts, TwoHosts):
            agent = self.folder / "agent"
            agent.write_text(_AGENT.format(folder=shlex.quote(str(self.folder)),
                                           host_2=shlex.join(self.hosts.words(2))))
            agent.chmod(0o755)
            hosts = ",".join(f"{self.hosts.address(number)}:1" for number in (1, 2))
            self.options = {"workers": 2,
                            "submit": f"--host {hosts} --mca plm_rsh_agent {agent}"}

    def with_workers(self, count: int) -> dict[str, Any]:
        return {**self.options, "workers": count}

    def without_host_2(self) -> dict[str, Any]:
        return {"workers": 1, "submit": f"--host {self.hosts.address(1)}:1"}

    def lose_host_2(self) -> list[str]:
        (self.folder / "lost").touch()
        return super().lose_host_2()


_SLURM = """ClusterName=t
SlurmctldHost={hosts[0]}({addresses[0]})
AuthInfo=socket={folder}/munge.socket,cred_expire={requeued_after}
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
NodeName=c1 NodeAddr={addresses[0]} NodeHostname={hosts[0]} Port={ports[1]} CPUs={cpus} RealMemory=1000
NodeName=c2 NodeAddr={addresses[1]} NodeHostname={hosts[1]} Port={ports[2]} CPUs={cpus} RealMemory=1000
PartitionName=p Nodes=c[1-2] Default=YES MaxTime=60 State=UP
"""


class Slurm(Harness):
    """Two slurmd, of four processors each or one on each host: needs root, as Slurm does."""

    engine: Engine = "slurm"
    kill_worker = "kill -KILL $PPID"  # the job of the task
    survives = False
    full_disk = "no space|left no reason"
    max_array_size = 1001
    requeued_after = 10  # seconds; 120 by default

    def start(self) -> None:
        if os.geteuid() != 0:
            pytest.skip("NOT RUN: Slurm's daemons want to be root")
        slurm._SECONDS = 1.0  # from one look at the queue to the next
        self.options = {"stagger": 0, "workers": 2}
        # Where munge lets everybody in.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm"))
        self.folder.chmod(0o755)
        here = socket.gethostname().partition(".")[0]
        are_two = isinstance(self.hosts, TwoHosts)
        hosts = ["c1", "c2"] if are_two else [here, here]
        (self.folder / "slurm.conf").write_text(_SLURM.format(
            folder=self.folder, hosts=hosts, max_array_size=self.max_array_size,
            addresses=[self.hosts.address(1), self.hosts.address(2)],
            ports=[free_port() for _ in range(3)], requeued_after=self.requeued_after,
            cpus=1 if are_two else 4))
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
        for host in (1, 2):
            self.spawn("slurmd", "-D", "-N", f"c{host}", log=f"c{host}", host=host)
        wait_until(lambda: self.said("sinfo", "-h", "-o", "%T %D").split() == ["idle", "2"])

    @staticmethod
    def said(*words: str) -> str:
        return subprocess.run(words, capture_output=True, text=True).stdout

    def with_workers(self, count: int) -> dict[str, Any]:
        return {**self.options, "workers": count}

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
        self.address = f"{self.hosts.address(1)}:{free_port()}"
        self.options = {"address": self.address}
        self.ray = pathlib.Path(sys.executable).with_name("ray")
        self.temporary = self.folder.parent / "r"  # sockets have short names
        self.start_nodes()

    def start_nodes(self) -> None:
        self.start_head()
        self.spawn(str(self.ray), "start", "--block", f"--address={self.address}",
                   f"--node-ip-address={self.hosts.address(2)}", "--num-cpus=1",
                   "--disable-usage-stats", "--object-store-memory=100000000", log="node",
                   host=2)

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


_SPARK_CONF = """spark.executor.memory 512m
spark.driver.host {host}
spark.task.maxFailures 4
spark.ui.enabled false
spark.ui.showConsoleProgress false
"""


class Spark(Harness):
    """A session with two executors, which are processes of their own; on two hosts a
    standalone cluster, which each driver begins a session of."""

    engine: Engine = "spark"
    kill_worker = "kill -KILL $PPID"
    nap = 1.0
    session: Any = None

    def start(self) -> None:
        (self.folder / "spark-defaults.conf").write_text(
            _SPARK_CONF.format(host=self.hosts.address(1)))
        os.environ.update(SPARK_LOCAL_IP=self.hosts.address(1), PYSPARK_PYTHON=sys.executable,
                          SPARK_CONF_DIR=str(self.folder))
        if isinstance(self.hosts, TwoHosts):
            self.start_cluster()
            return
        from pyspark.sql import SparkSession

        self.options = {}
        self.session = SparkSession.builder.master("local-cluster[2,1,1024]").getOrCreate()

    def start_cluster(self) -> None:
        import pyspark

        run = str(pathlib.Path(pyspark.__file__).parent / "bin" / "spark-class")
        deploy, port = "org.apache.spark.deploy", str(free_port())
        master = f"spark://{self.hosts.address(1)}:{port}"
        os.environ.update(SPARK_DAEMON_MEMORY="256m", SPARK_WORKER_DIR=str(self.folder))
        self.spawn(run, f"{deploy}.master.Master", "--host", self.hosts.address(1), "--port",
                   port, "--webui-port", "0", log="master")
        for host in (1, 2):
            address = self.hosts.address(host)
            self.spawn(run, f"{deploy}.worker.Worker", master, "--host", address, "--cores",
                       "1", "--memory", "700m", "--webui-port", "0", log=f"worker-{host}",
                       host=host, env={**os.environ, "SPARK_LOCAL_IP": address})
        self.options = {"address": master}
        said = self.folder / "master"
        wait_until(lambda: said.read_text().count("Registering worker") == 2)

    def stop(self) -> None:
        if self.session:
            self.session.stop()
        super().stop()


HARNESSES: dict[str, type[Harness]] = {
    each.engine: each for each in (Harness, Dask, Mpi, Slurm, Ray, Spark)}


@contextlib.contextmanager
def started(
    engine: str, folder: pathlib.Path, hosts: Loopback | None = None
) -> Iterator[Harness]:
    harness = HARNESSES[engine](folder, hosts)
    try:
        harness.start()
        yield harness
    finally:
        harness.stop()
