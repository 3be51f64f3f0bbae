"""Where the processes of an engine run: on this machine, or on two hosts that see
each other over a network of their own, of which one can be lost at once."""

import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import time

import pytest

_NETWORK_NAMESPACE = 0x40000000  # CLONE_NEWNET


class Loopback:
    """One host, whatever its number."""

    def address(self, number: int) -> str:
        return "127.0.0.1"

    def words(self, number: int) -> list[str]:
        """The words before a command that is to run on that host."""
        return []

    def close(self) -> None:
        pass


class TwoHosts(Loopback):
    """Hosts 1 and 2: network namespaces with host names of their own, over one file
    system. This thread, and its children, are moved to host 1 until close()."""

    def __init__(self) -> None:
        self.names = [f"shardine{os.getpid()}-{number}" for number in range(3)]
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            self._make()
        except (OSError, subprocess.CalledProcessError) as error:
            self.close()
            said = getattr(error, "stderr", None) or str(error)
            pytest.skip(f"NOT RUN: no second host without network namespaces: {said}")
        self._enter(f"/run/netns/{self.names[1]}")

    def _make(self) -> None:
        for name in self.names:
            _ip("netns", "add", name)
        switch = self.names[0]
        _ip("-n", switch, "link", "add", "switch", "type", "bridge")
        _ip("-n", switch, "link", "set", "switch", "up")
        for number, name in enumerate(self.names[1:], 1):
            port = f"port{number}"
            _ip("-n", switch, "link", "add", port, "type", "veth", "peer", "name", "eth0",
                "netns", name)
            _ip("-n", switch, "link", "set", port, "master", "switch", "up")
            _ip("-n", name, "address", "add", f"{self.address(number)}/24", "dev", "eth0")
            for link in ("lo", "eth0"):
                _ip("-n", name, "link", "set", link, "up")

    def _enter(self, path: str | int) -> None:
        to = os.open(path, os.O_RDONLY) if isinstance(path, str) else path
        result = self.libc.setns(to, _NETWORK_NAMESPACE)
        os.close(to)
        if result != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def address(self, number: int) -> str:
        return f"10.77.0.{number}"

    def words(self, number: int) -> list[str]:
        return ["nsenter", f"--net=/run/netns/{self.names[number]}", "unshare", "--uts",
                "sh", "-c", f'hostname c{number}; exec "$@"', "sh"]

    def inode(self, number: int) -> int:
        """The inode that a process finds at its /proc/self/ns/net."""
        return os.stat(f"/run/netns/{self.names[number]}").st_ino

    def kill(self, number: int) -> list[str]:
        """SIGKILL to every process of that host; their commands."""
        commands = []
        while pids := _ip("netns", "pids", self.names[number]).split():
            for pid in pids:  # all before the first is killed, which may end others
                with contextlib.suppress(OSError):
                    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                    commands.append(words.replace(b"\0", b" ").decode(errors="replace"))
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            time.sleep(0.05)
        return commands

    def close(self) -> None:
        if os.stat("/proc/thread-self/ns/net").st_ino != os.fstat(self.home).st_ino:
            self._enter(self.home)
        for name in self.names:
            if os.path.exists(f"/run/netns/{name}"):
                self.kill(self.names.index(name))
                _ip("netns", "delete", name)


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=True).stdout
