"""A program in a namespace that can be killed, stopped, continued and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from tests.pool.network import Host

# nothing of the user's own environment reaches a daemon: a proxy or a CA bundle named there would break S3 calls
PLAIN = {"PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), "LANG": "C.UTF-8"}


class Daemon:
    """One process. It dies with the process that started it, even when that is killed."""

    def __init__(self, host: Host, command: list[str], log: Path, environment: Mapping[str, str]) -> None:
        self.host, self.command, self.log = host, command, log
        self.environment = {**PLAIN, **environment}
        self.process: subprocess.Popen[bytes] | None = None
        self.wanted = False  # it has to run: started, and neither killed nor stopped since

    def start(self) -> None:
        self.wanted = True
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self.host.enter, *self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.environment,
                start_new_session=True,
            )

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        if self.process is not None and self.running:
            self.process.send_signal(number)

    def kill(self, wanted: bool = False) -> None:
        """SIGKILL, at once. wanted: it is to run again all the same."""
        self.wanted = wanted
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(timeout=30)

    def stop(self, timeout_s: float = 30) -> None:
        """As systemd stops a unit: SIGTERM, and SIGKILL where that does not help."""
        self.wanted = False
        self.signal(signal.SIGTERM)
        try:
            if self.process is not None:
                self.process.wait(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()

    def freeze(self) -> None:
        """Returns once it stands still: on a busy machine its threads run on until one of them takes the signal."""
        self.signal(signal.SIGSTOP)
        if self.process is not None and self.running:
            wait_until(self._stands_still, f"{self.log.name}: SIGSTOP", 30, every_s=0.01)

    def _stands_still(self) -> bool:
        assert self.process is not None
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/stat")
        with suppress(OSError):  # a thread that ended meanwhile
            return all(each.read_text().rpartition(")")[2].split()[0] in "Tt" for each in threads)
        return False

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    def tail(self, lines: int = 15) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""


def wait_until(done: Callable[[], bool], what: str, timeout_s: float, every_s: float = 0.2) -> float:
    """Seconds until `done` says so. Raises TimeoutError with what was waited for."""
    start = time.monotonic()
    while not done():
        if time.monotonic() - start > timeout_s:
            raise TimeoutError(f"{what}: not within {timeout_s:.0f} s")
        time.sleep(every_s)
    return time.monotonic() - start
