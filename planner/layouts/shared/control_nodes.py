"""Control nodes of a pool: the small On-Demand instances that run its proxies."""

from __future__ import annotations

CONTROL_INSTANCE_TYPE = "m7i.xlarge"  # enough for redirects: 20,000 small responses per second with three nodes
