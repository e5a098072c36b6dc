"""What a daemon says is wrong with itself, from the bits that its metrics and its status carry.

Source: AIStore 5.0, cmn/cos/node_state.go. The same bits are in the metric `ais_target_state_flags`.
"""

from __future__ import annotations

from fleet_pool.compat import frozen


@frozen
class Alert:
    """blocking: the pool has lost something, or will refuse writes. remedy: what to do about it."""

    bit: int
    name: str
    blocking: bool
    remedy: str


CLUSTER_STARTED, NODE_STARTED = 1 << 1, 1 << 2  # no alerts: what a daemon that is well carries

ALERTS = (
    Alert(bit=0, name="electing", blocking=False, remedy="a primary is being elected: look again in half a minute"),
    Alert(bit=3, name="rebalancing", blocking=False, remedy="it is switched off here: who switched it on?"),
    Alert(bit=4, name="rebalance-interrupted", blocking=False, remedy="nothing: S3 has every object"),
    Alert(bit=5, name="resilvering", blocking=False, remedy="nothing: the node moves data from a drive to the others"),
    Alert(bit=6, name="resilver-interrupted", blocking=False, remedy="nothing: what is missing comes from S3"),
    Alert(bit=7, name="restarted", blocking=False, remedy="see why in `journalctl`: the daemon was started again"),
    Alert(bit=8, name="out-of-space", blocking=True, remedy="`evict` what is not read: new data are refused (507)"),
    Alert(bit=9, name="out-of-memory", blocking=True, remedy="see what else takes the node's memory"),
    Alert(bit=10, name="maintenance", blocking=False, remedy="drained: `undrain` takes it back"),
    Alert(bit=11, name="low-capacity", blocking=False, remedy="cold reads outrun eviction: see `capacity`"),
    Alert(bit=12, name="low-memory", blocking=False, remedy="see what else takes the node's memory"),
    Alert(bit=13, name="disk-fault", blocking=True, remedy="a drive is out; replace the node when it suits"),
    Alert(bit=14, name="many-goroutines", blocking=False, remedy="watch it: requests pile up"),
    Alert(bit=15, name="too-many-goroutines", blocking=True, remedy="requests hang: restart the daemon"),
    Alert(bit=16, name="certificate-expires-soon", blocking=False, remedy="renew the node's certificate"),
    Alert(bit=17, name="certificate-expired", blocking=True, remedy="renew the node's certificate"),
    Alert(bit=18, name="certificate-invalid", blocking=True, remedy="the certificate is not of the pool's authority"),
    Alert(bit=19, name="keepalive-errors", blocking=False, remedy="see the network between this node and the primary"),
    # load of the whole node, training with it: the daemon's own cores are kept for it
    Alert(bit=20, name="busy-cpu", blocking=False, remedy="the node's load is high; the daemon's cores are its own"),
    Alert(bit=21, name="low-cpu", blocking=False, remedy="the node's load is high; the daemon's cores are its own"),
    Alert(bit=22, name="disk-full", blocking=True, remedy="a drive is past its limit: `evict`, or replace the node"),
    Alert(bit=23, name="disk-low-capacity", blocking=False, remedy="one drive is fuller than the rest: watch it"),
)


def alerts(flags: int) -> tuple[Alert, ...]:
    """Those whose bit is set. A bit of a later engine has no name here and is not an alert."""
    return tuple(alert for alert in ALERTS if flags >> alert.bit & 1)
