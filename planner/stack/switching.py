"""A stack file of another layout or purchase than what is deployed: what `pulumi up` would take away, and its word.

`planner stack --switch` and `planner leave` write the word into the stack file
(`switched_from`), and the program of `pulumi up` asks for it before it touches anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planner.stack.spec import SECTIONS, WORKERS, ClusterSpec

SLURM = "slurm"
# of the VPC, from the first update on and never changed: its layout and purchase, and " canary" for one. An update that
# is killed before it has any outputs leaves nothing else that says it
BEGAN_TAG = "planner:began-as"
# section of a layout -> what goes with it
_GOES = {
    "lustre": "the FSx file system with every file that S3 does not have; it is protected, so that `pulumi up` stops "
    "before it until `pulumi state unprotect`",
    "nvme": "the storage nodes with their cache",
    "pool": "the control nodes, and with them the pool that running jobs read",
    WORKERS: "the AWS Batch environment with the jobs in its queue",
}


def standing(spec: ClusterSpec) -> str:
    """What a deployed stack is of: `converged/spot`. A reservation is of On-Demand nodes. With a Slurm cluster:
    `converged/spot+slurm`."""
    kind = spec.buying.kind
    cluster = f"+{SLURM}" if spec.scheduler else ""
    return f"{spec.layout}/{'on-demand' if kind == 'reservation' else kind}{cluster}"


def needs_word(stands: str, spec: ClusterSpec) -> bool:
    """Whether deploying `spec` over what stands takes something away, and its file does not say so."""
    return stands not in (standing(spec), *spec.switched_from)


def switched(before: ClusterSpec, after: ClusterSpec) -> ClusterSpec:
    """`after` with the word that it may take the place of `before`, and of what `before` was written over."""
    own = standing(after)
    words = dict.fromkeys((*before.switched_from, standing(before)))
    return replace(after, switched_from=tuple(word for word in words if word != own))


def refusal(stands: str, spec: ClusterSpec, what: str = "what is deployed") -> str:
    """Why the word is needed: what goes, and what to do. what: is of `stands`."""
    goes = "\n".join(f"  - {line}" for line in _goes(stands, spec))
    flushed = (
        ", once the nodes say that S3 has every file (not asked with --force)"
        if "lustre" in SECTIONS.get(stands.partition("/")[0], ())
        else ""
    )
    return (
        f"{what} is of {stands}, and this would be of {standing(spec)}. `pulumi up` would take away or "
        f"change:\n{goes}\nStop the jobs and save what only the nodes have; then `planner stack PLAN --stack "
        f"{spec.stack} --switch` writes the file with the word for it{flushed}"
    )


def _goes(stands: str, spec: ClusterSpec) -> Iterator[str]:
    layout, _, kind = stands.partition("/")
    kind, _, cluster = kind.partition("+")
    if cluster != (SLURM if spec.scheduler else ""):
        yield "the GPU nodes with the jobs on them" + (", the queue, and what accounting knows" if cluster else "")
    kept = SECTIONS.get(spec.layout, ())
    yield from (_GOES[section] for section in SECTIONS.get(layout, ()) if section not in kept and section in _GOES)
    if spec.layout == WORKERS and layout != WORKERS:
        yield "the GPU nodes with the jobs on them"
    elif layout != spec.layout:
        yield "the launch template: nodes that run keep the old layout, without its storage, until they are replaced"
    if kind != standing(spec).partition("/")[2].partition("+")[0]:
        yield f"how nodes are bought: those that run stay {kind} until they are replaced"
