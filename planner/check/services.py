"""Whether AWS offers the services that a stack reaches: endpoints in its zone, and others in its Region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from planner.check.line import BLOCKS, NOT_KNOWN, Line, NotKnown
from planner.check.wanted import Wanted, waits
from planner.stack.spec import ClusterSpec, is_known

GATEWAY, INTERFACE = "Gateway", "Interface"


def services_of(spec: ClusterSpec) -> tuple[str, ...]:
    """Services that not every Region has, as their endpoints are named."""
    found = (("fsx", spec.lustre), ("rds", spec.files), ("batch", spec.workers), ("pcs", spec.scheduler))
    return tuple(name for name, part in found if part)


def names_of(wanted: Wanted) -> list[str]:
    """Endpoint services to ask for, by their whole names."""
    return [_full(wanted, name) for name in dict.fromkeys([*dict(_endpoints(wanted)), *services_of(wanted.spec)])]


def _endpoints(wanted: Wanted) -> list[tuple[str, str]]:
    """(service, kind) of each endpoint that the stack makes."""
    gateway = [("s3", GATEWAY)] if wanted.spec.gateway_endpoint else []
    return [*gateway, *((name, INTERFACE) for name in wanted.endpoints)]


def _full(wanted: Wanted, service: str) -> str:
    return f"com.amazonaws.{wanted.spec.region}.{service}"


def endpoint_line(details: Any, zones: Any, wanted: Wanted) -> Line:
    """The endpoints of the stack. details: of endpoint services, whose zones have names; zones: have ids too."""
    zone_id = wanted.spec.zone_id
    named = ", ".join(f"{name} ({kind})" for name, kind in _endpoints(wanted))
    mends = "planner stack PLAN --scenario ID --zone-id ZONE, or assumptions: {network.interface_endpoints: 0}"
    matter = waits(
        "endpoints",
        f"are endpoints for {named or 'nothing'} offered in {zone_id if is_known(zone_id) else wanted.spec.region}",
        wanted,
        mends,
    )
    matter = replace(matter, means=f"`pulumi up` stops before the nodes: {matter.means}")
    for answer in (details, zones):
        if isinstance(answer, NotKnown):
            return matter.not_known(answer)
    zone = next((entry.get("ZoneName") for entry in zones if entry.get("ZoneId") == zone_id), None)
    wrong = []
    for name, kind in _endpoints(wanted):
        entry = _offered(details, _full(wanted, name), kind)
        if entry is None:
            wrong.append(f"no {kind.lower()} endpoint of {name}")
        elif kind == INTERFACE and not entry.get("AvailabilityZones"):
            return matter.half(f"{name} without its zones")
        elif kind == INTERFACE and zone and zone not in entry["AvailabilityZones"]:
            wrong.append(f"{name} is in {', '.join(entry['AvailabilityZones'])} alone")
    return matter.bad(BLOCKS, "; ".join(wrong)) if wrong else matter.fine("yes")


def service_lines(details: Any, wanted: Wanted) -> Iterator[Line]:
    """One for each service of `services_of`. A service may exist without an endpoint."""
    for name in services_of(wanted.spec):
        mends = f"look for {name} in AWS's list of services by Region, or plan another Region"
        matter = waits(f"service.{name}", f"does {wanted.spec.region} have {name}", wanted, mends)
        if isinstance(details, NotKnown):
            yield matter.not_known(details)
        elif _offered(details, _full(wanted, name), INTERFACE):
            yield matter.fine("yes, with an endpoint")
        else:
            yield matter.bad(NOT_KNOWN, "AWS lists no endpoint of it there")


def _offered(details: Any, name: str, kind: str) -> dict[str, Any] | None:
    """S3 has one entry for each kind."""
    for entry in details:
        kinds = [one.get("ServiceType") for one in entry.get("ServiceType", ())]
        if entry.get("ServiceName") == name and kind in kinds:
            return entry
    return None
