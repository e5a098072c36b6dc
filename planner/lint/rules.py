"""Every rule by subject, and what the rules find in a graph."""

from __future__ import annotations

from types import ModuleType

from planner.lint.autoscaling import capacity_blocks, gang, group, placement, reservations, scaling, spot
from planner.lint.iam import escalation, permissions, policy_grammar, roles
from planner.lint.inputs import (
    arguments,
    arns,
    duplicates,
    enums,
    ids,
    name_syntax,
    names,
    references,
    types,
)
from planner.lint.inputs.names import is_ours
from planner.lint.monitoring import alarm_thresholds, alarms, bill, budget_coverage, budgets, logs
from planner.lint.network import addresses, endpoints, exposure, ipv6, reachability, routes, security
from planner.lint.nodes import (
    access,
    conflicts,
    interface_addresses,
    interface_groups,
    network_cards,
    template,
    user_data,
    volumes,
)
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import TEMPLATE, users_of
from planner.lint.rule import ERROR, WARNING, Finding, Rule
from planner.lint.storage import (
    buckets,
    data_access,
    lifecycle,
    lustre,
    lustre_backups,
    lustre_clients,
    lustre_links,
    objects,
    public_access,
    retention,
)


def _rules_of(*modules: ModuleType) -> tuple[Rule, ...]:
    """The rules that modules define, in the order of their source."""
    return tuple(value for module in modules for value in vars(module).values() if isinstance(value, Rule))


# subject -> its rules, in the order of docs/lint.md
SUBJECTS: dict[str, tuple[Rule, ...]] = {
    "Network interfaces": _rules_of(network_cards, interface_groups, interface_addresses),
    "Launch templates and instances": _rules_of(template, conflicts, volumes, access),
    "User data and secrets": _rules_of(user_data),
    "Auto Scaling groups": _rules_of(group, gang, scaling),
    "Placement": _rules_of(placement),
    "Spot": _rules_of(spot),
    "Capacity Blocks": _rules_of(capacity_blocks, reservations),
    "Addresses": _rules_of(addresses, ipv6),
    "Network": _rules_of(routes, endpoints, reachability),
    "Security groups": _rules_of(security, exposure),
    "Buckets and keys": _rules_of(buckets, retention, public_access),
    "Versions and lifecycles": _rules_of(lifecycle, objects),
    "FSx for Lustre": _rules_of(lustre, lustre_clients, lustre_links, lustre_backups),
    "Identity": _rules_of(roles, permissions, policy_grammar, escalation, data_access),
    "Names and tags": _rules_of(names, name_syntax),
    "Bill": _rules_of(bill),
    "Budget and alarms": _rules_of(budgets, alarms, alarm_thresholds, budget_coverage),
    "Logs": _rules_of(logs),
    "References and order": _rules_of(references, ids, arns, duplicates),
    "Arguments": _rules_of(arguments, types, enums),
}
RULES: tuple[Rule, ...] = tuple(rule for rules in SUBJECTS.values() for rule in rules)

# how our stacks are built. AWS accepts the other way, and it may be meant: a warning in a graph of another program
HOUSE_STYLE = frozenset(
    (
        *("EBS-ENCRYPTED", "IMDS-V2", "NIC-ADDRESS", "ORDER-POLICY", "SUBNET-PUBLIC", "ENDPOINT-DNS", "S3-GATEWAY"),
        *("S3-GATEWAY-ROUTE", "S3-ENCRYPTION", "S3-KEEP", "S3-TLS", "S3-VERSIONING"),
    )
)
# these give way where a more specific rule reports the same argument
GENERAL = ("INPUT-TYPE",)


def lint(graph: Graph) -> list[Finding]:
    """All findings of a graph: errors first, then by rule and resource, whatever the order of the file."""
    ours = is_ours(graph)
    found = {
        Finding(
            id=rule.id,
            severity=rule.severity if ours or rule.id not in HOUSE_STYLE else WARNING,
            resource=resource.urn,
            property=where,
            message=f"{resource.name}: {message}",
            why=rule.why,
            remedy=rule.remedy,
            usd_at_risk=usd_at_risk(graph, resource),
        )
        for rule in RULES
        for resource, where, message in rule.check(graph)
    }
    specific = {(finding.resource, finding.property) for finding in found if finding.id not in GENERAL}
    found = {f for f in found if f.id not in GENERAL or (f.resource, f.property) not in specific}
    return sorted(found, key=lambda f: (f.severity != ERROR, f.id, f.resource, f.property, f.message))


def usd_at_risk(graph: Graph, resource: Resource) -> float | None:
    """What the resource costs in a day, USD; for a template, what starts from it. None where no cost is known."""
    costs = [resource, *(users_of(graph, resource) if resource.kind == TEMPLATE else ())]
    total = sum(one.usd_per_hour or 0.0 for one in costs)
    return round(24 * total, 6) if total > 0 and abs(total) < 1e15 else None
