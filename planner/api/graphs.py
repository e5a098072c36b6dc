"""The resource graph of a stack, from the program of `pulumi up` where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.errors import UsageProblem
from planner.extras import how_to_install

if TYPE_CHECKING:
    from planner.stack.spec import ClusterSpec


def graph_of(spec: ClusterSpec, why: str) -> dict[str, Any]:
    """The resource graph of a stack. why: what needs the program of `pulumi up`, for the message where it is not
    installed. Raises UsageProblem then."""
    try:
        from infra.graph import resource_graph
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("pulumi", "pulumi_aws", "infra"):
            raise
        raise UsageProblem(
            f"{why} the program of `pulumi up`, and {error.name} is not installed: {how_to_install('deploy')}"
        ) from None
    return resource_graph(spec)
