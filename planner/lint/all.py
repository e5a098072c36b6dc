"""Every rule, and what they find in a graph."""

from __future__ import annotations

from planner.lint.data import keeping, lifecycle, lustre, lustre_links, objects, openness, shutout, storage, upkeep
from planner.lint.groups import block, bought, group, placement, running, scaling, spot
from planner.lint.network import addresses, endpoints, exposure, reach, routes, security, version_six, world
from planner.lint.nodes import access, attachments, disks, membership, nics, template, together, userdata
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import TEMPLATE, users_of
from planner.lint.rights import allowed, escalation, grammar, identity
from planner.lint.rule import ERROR, Finding, Rule
from planner.lint.watch import alarms, bill, fires, guard, logs, spending
from planner.lint.writing import arguments, arns, ids, names, references, sorts, spelling, twice, words

# subject -> its rules, in the order of docs/lint.md
SUBJECTS: dict[str, tuple[Rule, ...]] = {
    "Network interfaces": nics.RULES + membership.RULES + attachments.RULES,
    "Launch templates and instances": template.RULES + together.RULES + disks.RULES + access.RULES,
    "User data and secrets": userdata.RULES,
    "Groups": group.RULES + running.RULES + scaling.RULES,
    "Placement": placement.RULES,
    "Spot": spot.RULES,
    "Capacity Blocks": block.RULES + bought.RULES,
    "Addresses": addresses.RULES + version_six.RULES,
    "Network": routes.RULES + endpoints.RULES + reach.RULES,
    "Security groups": security.RULES + exposure.RULES + world.RULES,
    "Buckets and keys": storage.RULES + keeping.RULES + openness.RULES,
    "Versions and lifecycles": lifecycle.RULES + objects.RULES,
    "FSx for Lustre": lustre.RULES + lustre_links.RULES + upkeep.RULES,
    "Identity": identity.RULES + allowed.RULES + grammar.RULES + escalation.RULES + shutout.RULES,
    "Names and tags": names.RULES + spelling.RULES,
    "Bill": bill.RULES,
    "Budget and alarms": guard.RULES + alarms.RULES + fires.RULES + spending.RULES,
    "Logs": logs.RULES,
    "References and order": references.RULES + ids.RULES + arns.RULES + twice.RULES,
    "Arguments": arguments.RULES + sorts.RULES + words.RULES,
}
RULES: tuple[Rule, ...] = tuple(rule for rules in SUBJECTS.values() for rule in rules)

GENERAL = ("INPUT-TYPE",)


def lint(graph: Graph) -> list[Finding]:
    """Everything that is wrong with a graph: errors first, then by rule and resource, whatever the file's order."""
    found = {
        Finding(
            id=rule.id,
            severity=rule.severity,
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
    # what a rule of its own says of an argument need not be said of its sort as well
    said = {(one.resource, one.property) for one in found if one.id not in GENERAL}
    found = {one for one in found if one.id not in GENERAL or (one.resource, one.property) not in said}
    return sorted(found, key=lambda f: (f.severity != ERROR, f.id, f.resource, f.property, f.message))


def usd_at_risk(graph: Graph, resource: Resource) -> float | None:
    """A day of what the resource costs; of a template, of what starts from it."""
    costs = [resource, *(users_of(graph, resource) if resource.kind == TEMPLATE else ())]
    total = sum(one.usd_per_hour or 0.0 for one in costs)
    return round(24 * total, 6) if total > 0 and abs(total) < 1e15 else None
