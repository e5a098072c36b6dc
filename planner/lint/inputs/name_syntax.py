"""Names and descriptions: the characters and lengths that each service allows."""

from __future__ import annotations

import re

from planner.lint.read.graph import Graph
from planner.lint.read.traffic import EGRESS, INGRESS
from planner.lint.read.values import literal, whole
from planner.lint.rule import Hits, rule

GROUP = "ec2:SecurityGroup"
IAM = r"[A-Za-z0-9+=,.@_-]"
# type -> argument, pattern, pattern in words
NAMES: dict[str, tuple[str, str, str]] = {
    "autoscaling:Group": ("name", r"[ -9;-~]{1,255}", "up to 255 plain characters, no colon"),
    "autoscaling:LifecycleHook": ("name", r"[A-Za-z0-9_/-]{1,255}", "up to 255 letters, digits, - _ /"),
    "budgets:Budget": ("name", r"[^:\\]{1,100}", "up to 100 characters, no colon or backslash"),
    "cloudwatch:LogGroup": ("name", r"[A-Za-z0-9./_#-]{1,512}", "up to 512 letters, digits, . / _ # -"),
    "cloudwatch:MetricAlarm": ("name", r".{1,255}", "up to 255 characters"),
    "ec2:PlacementGroup": ("name", r"[ -~]{1,255}", "up to 255 plain characters"),
    "iam:Group": ("name", IAM + "{1,128}", "up to 128 letters, digits, + = , . @ _ -"),
    "iam:InstanceProfile": ("name", IAM + "{1,128}", "up to 128 letters, digits, + = , . @ _ -"),
    "iam:Policy": ("name", IAM + "{1,128}", "up to 128 letters, digits, + = , . @ _ -"),
    "iam:Role": ("name", IAM + "{1,64}", "up to 64 letters, digits, + = , . @ _ -"),
    "iam:RolePolicy": ("name", IAM + "{1,128}", "up to 128 letters, digits, + = , . @ _ -"),
    "sns:Topic": ("name", r"[A-Za-z0-9_-]{1,256}|[A-Za-z0-9_-]{1,251}\.fifo", "up to 256 letters, digits, _ -"),
}
DESCRIPTION = re.compile(r"[A-Za-z0-9 ._:/()#,@\[\]+=&;{}!$*-]{0,255}")


@rule(
    "NAME-SYNTAX",
    *sorted(NAMES),
    GROUP,
    INGRESS,
    EGRESS,
    what="a name or description that its service rejects",
    why="The deployment stops halfway: each service allows its own characters and lengths, and no preview checks them",
    remedy="Use letters, digits and hyphens, at most 64 characters for a role, and no apostrophe in a security "
    "group's description",
    example="a role name of 70 characters",
)
def invalid_name_or_description(graph: Graph) -> Hits:
    for kind, (key, pattern, words) in NAMES.items():
        for resource in graph.of(kind):
            name = literal(resource.inputs.get(key))
            if name and not re.fullmatch(pattern, name):
                yield resource, key, f"{name[:80]!r}; allowed: {words}"
    for resource in graph.of("iam:Role", "iam:Group", "iam:Policy", "iam:InstanceProfile"):
        path, seconds = literal(resource.inputs.get("path")), whole(resource.inputs.get("maxSessionDuration"))
        if path and not re.fullmatch(r"/|/[!-~]+/", path):
            yield resource, "path", f"{path!r}; a path starts and ends with /"
        if seconds is not None and not 3600 <= seconds <= 43_200:
            yield resource, "maxSessionDuration", f"{seconds:,} seconds; allowed: 3,600 to 43,200"
    for resource in graph.of(GROUP, INGRESS, EGRESS):
        text = literal(resource.inputs.get("description"))
        if text and not DESCRIPTION.fullmatch(text):
            yield (
                resource,
                "description",
                f"{text[:60]!r}; allowed: up to 255 letters, digits, spaces and ._-:/()#,@[]+=&;{{}}!$*",
            )
