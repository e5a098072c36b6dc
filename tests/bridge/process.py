"""Pulumi's own bridge to any Terraform provider, as a process with the Terraform AWS provider below it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
from pulumi.runtime.proto import provider_pb2 as messages
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderStub

from tools.gotools import TOOLS

BRIDGE = TOOLS["pulumi-resource-terraform-provider"]
NAME = "terraform-provider-aws"  # of the binary: the bridge takes the package's name from it
LARGEST_BYTES = 400 * 2**20  # of one message: schemas are long
CHANNEL = (
    ("grpc.max_receive_message_length", LARGEST_BYTES),
    ("grpc.max_send_message_length", LARGEST_BYTES),
    # a refusal that quotes a whole policy comes as metadata
    ("grpc.max_metadata_size", LARGEST_BYTES),
    ("grpc.absolute_max_metadata_size", LARGEST_BYTES),
)


def named(binary: Path, folder: Path) -> Path:
    """The binary under the name that the bridge wants, ending when the bridge does: Terraform's providers outlive
    whoever started them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text("#!/bin/sh\nexec " + shlex.join([*with_its_parent(), str(binary)]) + ' "$@"\n')
    path.chmod(0o755)
    return path


def with_its_parent() -> list[str]:
    """util-linux's way of ending with one's parent; without it whatever is killed leaves behind what it started."""
    return [setpriv, "--pdeathsig", "KILL", "--"] if (setpriv := shutil.which("setpriv")) else []


@contextmanager
def nobody() -> Iterator[str]:
    """Address of somebody who answers, and knows nothing: a provider that cannot reach its engine ends after five
    minutes."""
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None)


@contextmanager
def started(
    provider: Path, *, types: Sequence[str], engine: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> Iterator[ResourceProviderStub]:
    """The bridge over a provider as `named` gives it. types: Terraform names of what it shall know: all 1,526 cost
    seconds. engine: what it is called with: the address that its log goes to."""
    with (
        nobody() as address,
        subprocess.Popen(
            [*with_its_parent(), str(BRIDGE.path), *(engine or [address])],
            stdout=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            with grpc.insecure_channel(f"127.0.0.1:{port}", options=CHANNEL) as channel:
                bridge = ResourceProviderStub(channel)
                words = [str(provider), "--include", ",".join(types)]
                args = messages.ParameterizeRequest.ParametersArgs(args=words)
                bridge.Parameterize(messages.ParameterizeRequest(args=args), wait_for_ready=True)
                yield bridge
        finally:
            process.kill()
