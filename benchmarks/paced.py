"""Relays connections to a server and paces what comes back, each connection for itself, as S3 limits one request.

    python -m benchmarks.paced ADDRESS PORT SERVER_PORT BYTES_PER_S

The kernel paces (SO_MAX_PACING_RATE, without the fq queue from Linux 4.13 on) and splices, so that the relay itself
costs little processor time.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading

SO_MAX_PACING_RATE = 47  # asm-generic/socket.h; the socket module does not name it
PIECE = 1 << 20


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Everything from one connection to the other, until either ends."""
    out, into = os.pipe()
    with contextlib.suppress(OSError):
        while count := os.splice(source.fileno(), into, PIECE):
            while count:
                count -= os.splice(out, sink.fileno(), count)
    for end in (out, into):
        os.close(end)
    for link in (source, sink):
        with contextlib.suppress(OSError):
            link.shutdown(socket.SHUT_RDWR)


def relay(link: socket.socket, address: str, port: int, bytes_per_s: int) -> None:
    with link, socket.create_connection((address, port)) as server:
        link.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, bytes_per_s)
        threading.Thread(target=pump, args=(link, server), daemon=True).start()
        pump(server, link)


def main(address: str, port: int, server_port: int, bytes_per_s: int) -> None:
    with socket.create_server((address, port), backlog=128) as listening:
        while True:
            link, _ = listening.accept()
            threading.Thread(target=relay, args=(link, address, server_port, bytes_per_s), daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
