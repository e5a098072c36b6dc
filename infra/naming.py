"""Names and tags, by which an interrupted and repeated `pulumi up` finds its resources again.

AWS refuses a second resource with the same name, so every unique name is derived from the name of the stack alone.
Resources without unique names (gateways, addresses, file systems) are identified by their tags.
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from planner.stack.names import physical


@dataclass(frozen=True, kw_only=True)
class Naming:
    """The source of names and tags, and what every role has. account: id of the account, known only to AWS. ARNs are of
    the partition aws. boundary: ARN of the policy that limits every role of the stack; None for none."""

    stack: str
    plan_sha256: str
    region: str
    account: pulumi.Input[str]
    boundary: str | None = None

    def physical(self, part: str) -> str:
        """A name that is unique in the account and Region: planner-dev-fleet."""
        return physical(self.stack, part)

    def global_(self, part: str) -> pulumi.Output[str]:
        """A name that is unique among all accounts: planner-dev-data-111122223333-us-east-1."""
        return pulumi.Output.concat(self.physical(part), "-", self.account, "-", self.region)

    def arn(self, service: str, rest: pulumi.Input[str], *, region: bool = True) -> pulumi.Output[str]:
        """ARN of a resource of this account whose name is known before it exists."""
        return pulumi.Output.concat(f"arn:aws:{service}:{self.region if region else ''}:", self.account, ":", rest)

    def tags(self, component: str, name: str) -> dict[str, str]:
        """The four tags of every resource that can be tagged. name: the logical one, such as fleet-group.

        None changes with the plan: a tag that does would be an update of every resource, among which one that matters
        is not seen. The plan's hash is a tag of the guard's topic alone; what the first update was of, one of the VPC.
        """
        return {
            "Name": self.physical(name),
            "planner:stack": self.stack,
            "planner:component": component,
            "planner:name": name,
        }


class Component(pulumi.ComponentResource):
    """One component of the stack. kind: its name in bill and tags, and the prefix of its children's names."""

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
        """Physical name of a child, if AWS has unique names for it."""
        return self.naming.physical(self.named(part))

    def tags(self, part: str) -> dict[str, str]:
        return self.naming.tags(self.kind, self.named(part))

    def child(
        self,
        *,
        depends_on: list[pulumi.Resource] | None = None,
        kept: bool = False,
        protected: bool = False,
        replaced_first: bool = False,
        ignored: list[str] | None = None,
        patience: pulumi.CustomTimeouts | None = None,
    ) -> pulumi.ResourceOptions:
        """Options of a child. kept: protected data that stays when the stack is destroyed. protected: nothing
        deletes or replaces it until its protection is taken away. replaced_first: delete the old one before
        the new one is created, where both cannot exist together. ignored: arguments that something else changes.
        patience: timeouts, where those of the provider are too short."""
        return pulumi.ResourceOptions(
            parent=self,
            depends_on=depends_on,
            protect=kept or protected or None,
            retain_on_delete=kept or None,
            delete_before_replace=replaced_first or None,
            ignore_changes=ignored,
            custom_timeouts=patience,
        )
