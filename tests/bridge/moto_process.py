"""moto's server, answering each call once: python -m tests.bridge.moto_process PORT.

About one answer in two thousand is lost on its way from its server, and the provider asks again. AWS knows most calls
again by a token; moto makes a second key, or says that the template is there already. So an answer is kept by the id
that the SDK gives every call, and a call that comes again is answered with it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from werkzeug.serving import run_simple
from werkzeug.wrappers import Response

CALL = "HTTP_AMZ_SDK_INVOCATION_ID"  # the same for every attempt at one call


class Once:
    """A WSGI application that makes each call at most once."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.answers: dict[str, Future[Any]] = {}
        self.lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        call = environ.get(CALL)
        if call is None:
            return self.app(environ, start_response)
        with self.lock:
            first = call not in self.answers
            answer = self.answers.setdefault(call, Future())
        if first:
            try:
                answer.set_result(Response.from_app(self.app, environ, buffered=True))
            except Exception as error:
                answer.set_exception(error)
                raise
        return answer.result()(environ, start_response)


def main(words: list[str]) -> int:
    from moto.moto_server.threaded_moto_server import MotoRequestHandler
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

    os.environ["MOTO_PORT"] = words[0]
    app = DomainDispatcherApplication(create_backend_app)
    run_simple("127.0.0.1", int(words[0]), Once(app), threaded=True, request_handler=MotoRequestHandler)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
