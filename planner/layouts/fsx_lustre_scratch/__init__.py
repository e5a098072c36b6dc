"""FSx for Lustre with the deployment type SCRATCH_2: cheaper, not replicated, lost when a file server fails."""

from planner.layouts.room import Room

ROOM = Room(
    title="FSx for Lustre, scratch",
    brief="FSx for Lustre scratch",
    sections=("lustre",),
    is_default=False,
    may_refuse=("capacity_bytes",),
    variant_unit="MB/s per TiB",
    is_posix=True,
    lustre_deployment="SCRATCH_2",
    not_deployed="priced and previewed, not deployed yet: no test has run its links to the data bucket",
)
