"""A language host for the command line, where Pulumi's own is not installed: the Automation API's server behind a port.

Pulumi's `pulumi-language-python` is not published as a module that could be built. `pulumi import` and `pulumi up` by
the command line ask for one; this runs the stack's program as that would, and says where it listens.
"""

from __future__ import annotations

import threading
from concurrent import futures
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.automation._server import LanguageServer
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from infra.__main__ import main as program_of_the_stack

LARGEST_BYTES = 400 * 1024 * 1024


class Host(LanguageServer):
    """What the command asks besides running the program."""

    def Handshake(self, request: Any, context: Any) -> Any:
        return language_pb2.LanguageHandshakeResponse()

    def GetRequiredPackages(self, request: Any, context: Any) -> Any:
        return language_pb2.GetRequiredPackagesResponse()

    def GetProgramDependencies(self, request: Any, context: Any) -> Any:
        return language_pb2.GetProgramDependenciesResponse()

    def RuntimeOptionsPrompts(self, request: Any, context: Any) -> Any:
        return language_pb2.RuntimeOptionsResponse()

    def Cancel(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()


def main() -> None:
    options = [("grpc.max_receive_message_length", LARGEST_BYTES)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=options)
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(Host(program_of_the_stack), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    with suppress(KeyboardInterrupt):  # by which the engine ends its plugins
        threading.Event().wait()


if __name__ == "__main__":
    main()
