"""The alerts that a daemon reports about itself, as bits in its status and its metrics.

Source: AIStore 5.0, cmn/cos/node_state.go. The same bits are in the metric `ais_target_state_flags`.
"""

from __future__ import annotations

from fleet_pool.compat import frozen


@frozen
class Alert:
    """blocking: the pool has lost a part or will refuse writes. remedy: what the operator does."""

    bit: int
    name: str
    blocking: bool
    remedy: str


CLUSTER_STARTED, NODE_STARTED = 1 << 1, 1 << 2  # not alerts: a healthy daemon has these set

ALERTS = (
    Alert(bit=0, name="electing", blocking=False, remedy="a primary is being elected: check again in 30 s"),
    Alert(
        bit=3,
        name="rebalancing",
        blocking=False,
        remedy="it is off by default here: find out who turned it on",
    ),
    Alert(bit=4, name="rebalance-interrupted", blocking=False, remedy="none needed: S3 has every object"),
    Alert(
        bit=5,
        name="resilvering",
        blocking=False,
        remedy="none needed: a drive's data moves to the node's others",
    ),
    Alert(bit=6, name="resilver-interrupted", blocking=False, remedy="none needed: S3 has every object"),
    Alert(bit=7, name="restarted", blocking=False, remedy="the daemon restarted: `journalctl` says why"),
    Alert(
        bit=8,
        name="out-of-space",
        blocking=True,
        remedy="writes are refused (507): `evict` unused data",
    ),
    Alert(bit=9, name="out-of-memory", blocking=True, remedy="find what else uses the node's memory"),
    Alert(bit=10, name="maintenance", blocking=False, remedy="drained: `undrain` returns it to the pool"),
    Alert(
        bit=11,
        name="low-capacity",
        blocking=False,
        remedy="cold reads outpace eviction: see `capacity`",
    ),
    Alert(bit=12, name="low-memory", blocking=False, remedy="find what else uses the node's memory"),
    Alert(bit=13, name="disk-fault", blocking=True, remedy="a drive failed: replace the node when convenient"),
    Alert(bit=14, name="many-goroutines", blocking=False, remedy="requests queue up: keep watching"),
    Alert(bit=15, name="too-many-goroutines", blocking=True, remedy="requests hang: restart the daemon"),
    Alert(bit=16, name="certificate-expires-soon", blocking=False, remedy="renew the node's certificate"),
    Alert(bit=17, name="certificate-expired", blocking=True, remedy="renew the node's certificate"),
    Alert(
        bit=18,
        name="certificate-invalid",
        blocking=True,
        remedy="another authority signed the certificate",
    ),
    Alert(bit=19, name="keepalive-errors", blocking=False, remedy="check the network to the primary"),
    # load of the whole node, training included; the daemon has reserved cores
    Alert(bit=20, name="busy-cpu", blocking=False, remedy="the node is busy; the daemon has reserved cores"),
    Alert(bit=21, name="low-cpu", blocking=False, remedy="the node is busy; the daemon has reserved cores"),
    Alert(bit=22, name="disk-full", blocking=True, remedy="a drive is over its limit: `evict`, or replace the node"),
    Alert(bit=23, name="disk-low-capacity", blocking=False, remedy="a drive is fuller than the others: watch it"),
)


def alerts(flags: int) -> tuple[Alert, ...]:
    """The alerts whose bit is set. Bits that only a later engine knows are ignored."""
    return tuple(alert for alert in ALERTS if flags >> alert.bit & 1)
