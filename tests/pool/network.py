"""Hosts on one machine: a bridge, and a network namespace with an address of its own for each."""

from __future__ import annotations

import fcntl
import json
import os
import string
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.pool.machine import Failed, remove_namespace, run

RULES = "planner"  # the table of what a host drops
_letters = iter(string.ascii_lowercase[:-1] + string.ascii_uppercase)  # of this process's networks; z is the trial's


def group_name() -> str:
    """What the names of this process's networks and control groups begin with."""
    return f"p{os.getpid()}{next(_letters)}-"


@dataclass(frozen=True, kw_only=True)
class Host:
    """One namespace: its name, its address, and the outer end of its link."""

    namespace: str
    address: str
    link: str

    @property
    def enter(self) -> list[str]:
        """What a command begins with to run here. `ip netns exec` would give it a mount tree of its own as well, and
        a drive that is unmounted outside would stay mounted in there."""
        return ["nsenter", f"--net=/run/netns/{self.namespace}"]


class Network:
    """A bridge of this process with a /24 of its own; this process itself is .254 on it."""

    def __init__(self) -> None:
        self.name = group_name()
        self.hosts: list[Host] = []
        with _choosing():
            self.subnet = _free_subnet()
            run("ip", "link", "add", f"{self.name}br", "type", "bridge")
            run("ip", "addr", "add", f"{self.subnet}.254/24", "dev", f"{self.name}br")
        run("ip", "link", "set", f"{self.name}br", "up")

    def add(self, name: str, last: int) -> Host:
        """A new host with the address .last."""
        host = Host(namespace=self.name + name, address=f"{self.subnet}.{last}", link=f"{self.name}{last}")
        self.hosts.append(host)
        run("ip", "netns", "add", host.namespace)
        inside = ("ip", "-n", host.namespace)
        run("ip", "link", "add", host.link, "type", "veth", "peer", "name", "eth0", "netns", host.namespace)
        run("ip", "link", "set", host.link, "master", f"{self.name}br", "up")
        run(*inside, "addr", "add", f"{host.address}/24", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "link", "set", "lo", "up")
        return host

    def remove(self, host: Host) -> None:
        """The host is gone, and what ran on it."""
        self.hosts.remove(host)
        _remove(host)

    def cut(self, host: Host) -> None:
        """Pull the host's cable."""
        run("ip", "link", "set", host.link, "down")

    def mend(self, host: Host) -> None:
        """The cable back in; whatever was dropped, slowed or blocked on it is no longer."""
        run("ip", "link", "set", host.link, "up")
        run(*host.enter, "nft", "delete", "table", "inet", RULES, check=False)
        run("tc", "-n", host.namespace, "qdisc", "del", "dev", "eth0", "root", check=False)
        run("tc", "qdisc", "del", "dev", host.link, "root", check=False)

    def drop(self, host: Host, *, sent_to: str = "", received_from: str = "", percent: int = 100) -> None:
        """From now on these packets of a host are lost, `percent` of each hundred; without addresses all of them are.
        Connections stay open on both sides, as with a broken switch."""
        odds = "" if percent >= 100 else f"numgen random mod 100 < {percent} "
        both = not sent_to and not received_from
        rules = [f"add table inet {RULES}"]
        for hook, address, side, asked in (
            ("output", sent_to, "daddr", bool(sent_to) or both),
            ("input", received_from, "saddr", bool(received_from) or both),
        ):
            if asked:
                where = f"ip {side} {address} " if address else 'oifname != "lo" ' if hook == "output" else ""
                where = where or 'iifname != "lo" '
                rules += [
                    f"add chain inet {RULES} {hook} {{ type filter hook {hook} priority 0; }}",
                    f"add rule inet {RULES} {hook} {where}{odds}drop",
                ]
        run(*host.enter, "nft", "; ".join(rules))

    def slow(self, host: Host, rate: str) -> None:
        """The host's link carries this much, such as 2mbit, in either direction."""
        shape = ("root", "tbf", "rate", rate, "burst", "32kb", "latency", "400ms")
        run("tc", "-n", host.namespace, "qdisc", "replace", "dev", "eth0", *shape)
        run("tc", "qdisc", "replace", "dev", host.link, *shape)

    def close(self) -> None:
        """Everything away, processes included."""
        for host in self.hosts:
            _remove(host)
        run("ip", "link", "del", f"{self.name}br", check=False)


def _remove(host: Host) -> None:
    """Its link first: left to the end of the namespace, the kernel takes it away some time later."""
    run("ip", "link", "del", host.link, check=False)
    remove_namespace(host.namespace)


@contextmanager
def _choosing() -> Iterator[None]:
    """One process at a time looks for a free subnet."""
    with (Path(tempfile.gettempdir()) / "planner-pool.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _free_subnet() -> str:
    """The first of 10.77.1 to 10.77.250 that no link of this machine has."""
    taken = {
        address["local"].rpartition(".")[0]
        for link in json.loads(run("ip", "-j", "-4", "addr", "show"))
        for address in link.get("addr_info", [])
    }
    for third in range(1, 251):
        if f"10.77.{third}" not in taken:
            return f"10.77.{third}"
    raise Failed("all of 10.77.1.0/24 to 10.77.250.0/24 are taken on this machine")
