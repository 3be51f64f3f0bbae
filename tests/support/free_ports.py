"""Ports of loopback for the servers that tests start."""

import contextlib
import random
import socket

_held: list[socket.socket] = []  # until the process ends


def free_port(*above: int) -> int:
    """A port that no other test gets, nor the ports that are so much above it.

    This process keeps them bound. A server that sets SO_REUSEADDR can bind them too,
    and all servers of the tests do. No outgoing connection has a port so low."""
    while True:
        port = random.randrange(11_000, 21_000)
        bound = [socket.socket() for _ in (0, *above)]
        with contextlib.suppress(OSError):
            for each, more in zip(bound, (0, *above), strict=True):
                each.bind(("127.0.0.1", port + more))
                each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            _held.extend(bound)
            return port
        for each in bound:
            each.close()
