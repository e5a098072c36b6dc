"""Names and tags: what a killed and repeated `pulumi up` finds again.

AWS refuses a second resource of the same name, so everything with a unique name has one that follows from the stack
alone; where AWS knows no unique name (gateways, addresses, file systems), the tags say whose it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from planner.stack.names import physical


@dataclass(frozen=True, kw_only=True)
class Naming:
    """Whose everything is. account: id of the account, known only to AWS; partition of the ARNs: aws."""

    stack: str
    plan_sha256: str
    region: str
    account: pulumi.Input[str]

    def physical(self, part: str) -> str:
        """A name that is unique in the account and Region: planner-dev-fleet."""
        return physical(self.stack, part)

    def global_(self, part: str) -> pulumi.Output[str]:
        """A name that is unique among all accounts: planner-dev-data-111122223333-us-east-1."""
        return pulumi.Output.concat(self.physical(part), "-", self.account, "-", self.region)

    def arn(self, service: str, rest: pulumi.Input[str], *, region: bool = True) -> pulumi.Output[str]:
        """ARN of something of this account whose name is known before it stands."""
        return pulumi.Output.concat(f"arn:aws:{service}:{self.region if region else ''}:", self.account, ":", rest)

    def tags(self, component: str, name: str) -> dict[str, str]:
        """The five tags of every resource that takes tags. name: the logical one, fleet-group."""
        return {
            "Name": self.physical(name),
            "planner:stack": self.stack,
            "planner:plan": self.plan_sha256,
            "planner:component": component,
            "planner:name": name,
        }


class Component(pulumi.ComponentResource):
    """One component of the stack. kind: its name in the bill and the tags, and what its children's names begin with."""

    def __init__(self, kind: str, naming: Naming, *, depends_on: list[pulumi.Resource] | None = None) -> None:
        super().__init__(
            f"planner:infra:{kind.capitalize()}", kind, None, pulumi.ResourceOptions(depends_on=depends_on)
        )
        self.kind = kind
        self.naming = naming

    def named(self, part: str) -> str:
        """Logical name of a child: fleet-group."""
        return f"{self.kind}-{part}"

    def physical(self, part: str) -> str:
        """Physical name of a child, where AWS has unique names."""
        return self.naming.physical(self.named(part))

    def tags(self, part: str) -> dict[str, str]:
        return self.naming.tags(self.kind, self.named(part))

    def child(
        self,
        *,
        depends_on: list[pulumi.Resource] | None = None,
        kept: bool = False,
        replaced_first: bool = False,
        ignored: list[str] | None = None,
        patience: pulumi.CustomTimeouts | None = None,
    ) -> pulumi.ResourceOptions:
        """Options of a child. kept: data that no `destroy` and no replacement may take. replaced_first: the old one
        goes before the new one comes, where both cannot stand at once. ignored: arguments that something else sets.
        patience: how long the provider waits, where its own half hour or ten minutes are too short."""
        return pulumi.ResourceOptions(
            parent=self,
            depends_on=depends_on,
            protect=kept or None,
            retain_on_delete=kept or None,
            delete_before_replace=replaced_first or None,
            ignore_changes=ignored,
            custom_timeouts=patience,
        )
