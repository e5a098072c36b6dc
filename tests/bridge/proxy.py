"""`pulumi-resource-aws`, as the engine starts it: python -m tests.bridge.proxy ENGINE-ADDRESS.

TERRAFORM_PROVIDER_AWS names the provider's binary, as process.py gives it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from pulumi.runtime.proto.provider_pb2_grpc import add_ResourceProviderServicer_to_server

from infra.deployer_actions import ACTIONS
from tests.bridge.forward import Forward
from tests.bridge.known import ENDLESS, LACKING, UNREAD
from tests.bridge.names import terraform_name
from tests.bridge.process import CHANNEL, started

BINARY = "TERRAFORM_PROVIDER_AWS"
LOOKED_UP = ("aws_caller_identity",)
TYPES = (*map(terraform_name, ACTIONS), *LOOKED_UP)  # the only ones that a stack asks for
THREADS = 100  # the engine makes as much at once as it can, and each waits for AWS


def main(words: list[str]) -> int:
    over = threading.Event()
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, lambda *_: over.set())
    with started(Path(os.environ[BINARY]), types=TYPES, engine=words[:1]) as bridge:
        server = grpc.server(ThreadPoolExecutor(THREADS), options=CHANNEL)
        add_ResourceProviderServicer_to_server(Forward(bridge, lacking=LACKING, endless=ENDLESS, unread=UNREAD), server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        print(port, flush=True)
        over.wait()
        server.stop(grace=None)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
