"""S, fsx-lustre-scratch: a Lustre file system without replication, linked to the bucket.

FSx for Lustre User Guide, "Deployment options" (docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html):
a baseline of 200 MB/s per TiB; data is not replicated and does not persist if a file server fails, and a failed file
server is not replaced. "Performance": disks read 200 and write 100 MB/s per TiB; the network can burst to 1,300 MB/s
per TiB, which is not planned with. 1.2 TiB, 2.4 TiB or multiples of 2.4 TiB.
"""

from __future__ import annotations

from planner.layouts.base import Demand, Service
from planner.layouts.shared.lustre_service import lustre_service
from planner.layouts.shared.lustre_size import FileSystem
from planner.models.values import Values


def service_of(file_system: FileSystem, demand: Demand, values: Values) -> Service:
    """What the file system provides. The failure of a file server is not modeled: it stops the run."""
    return lustre_service(
        file_system,
        demand,
        values,
        durability="not replicated: a failed file server loses its files; the data set is in S3 as well",
        lost_node="no data is lost with a GPU node; a failed file server loses data and is not replaced",
        warnings=("checkpoints are safe only after they are copied to S3, as a failed file server loses its files",),
    )
