"""Control nodes of a pool: the small On-Demand instances that run its proxies."""

from __future__ import annotations

CONTROL_INSTANCE_TYPE = "m7i.xlarge"  # 4 vCPU serve redirects only; 20,000 small answers a second over three
