"""Nodes of a local pool as the planner reaches those of a stack: one command on all of them at the same moment.

Each runs in its node's network namespace, with the files of a node under /etc/planner and the archive of the bundle;
only `planner-ready` stands in, which looks at drives and units that namespaces do not have.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from infra.node.zipped import pool_file
from planner.account.commands import Member, Said
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.daemon import PLAIN
from tests.pool.s3 import REGION

OVERLAID = """set -e
for place in etc opt; do
  mkdir -p {own}/upper/$place {own}/work/$place
  mount -t overlay overlay -o lowerdir=/$place,upperdir={own}/upper/$place,workdir={own}/work/$place /$place
done
exec sh -c {command}
"""


class LocalNodes:
    """A member by the name of its instance. unready: names whose `planner-ready` fails."""

    def __init__(self, cluster: Cluster, unready: Sequence[str] = ()) -> None:
        self.cluster = cluster
        proxies = ",".join(cluster.addresses)
        for node in cluster.nodes:
            own = cluster.folder / "accept" / node.name
            for name, text in {
                "upper/etc/planner/node.env": f"PLANNER_INSTANCE={node.name}\nPLANNER_DATA={BUCKET}\n",
                "upper/etc/planner/pool.env": f"AIS_ENDPOINT={proxies}\nPLANNER_POOL_BUCKET={BUCKET}\n",
                "bin/planner-ready": f"#!/bin/sh\necho gpus: 7 of 8\nexit {int(node.name in unready)}\n",
            }.items():
                path = own / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                path.chmod(0o755)
            bundle = own / "upper" / "opt" / "planner"
            bundle.mkdir(parents=True, exist_ok=True)
            (bundle / "planner-pool.pyz").write_bytes(pool_file())
            python = own / "bin" / "python3"
            python.unlink(missing_ok=True)
            python.symlink_to(sys.executable)

    def members(self) -> tuple[Member, ...]:
        return tuple(Member(id=node.name, host=node.host.address) for node in self.cluster.nodes)

    def run(self, ids: Sequence[str], command: str, limit_s: float) -> dict[str, Said]:
        with ThreadPoolExecutor(len(ids)) as threads:
            return dict(zip(ids, threads.map(lambda id: self._one(id, command, limit_s), ids), strict=True))

    def _one(self, id: str, command: str, limit_s: float) -> Said:
        [node] = [node for node in self.cluster.nodes if node.name == id]
        own = self.cluster.folder / "accept" / id
        script = OVERLAID.format(own=own, command=shlex.quote(command))
        environment = {
            **PLAIN,
            **self.cluster.s3.environment,
            "PATH": f"{own}/bin:{PLAIN['PATH']}",
            "AWS_ENDPOINT_URL_S3": self.cluster.s3.endpoint,
            "AWS_REGION": REGION,
            "HOME": str(own),
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
        }
        words = [*node.host.enter, "unshare", "--mount", "sh", "-c", script]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=limit_s, check=False)
        return Said(well=not done.returncode, out=done.stdout, err=done.stderr)
