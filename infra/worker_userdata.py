"""User data of a worker's node: settings of the container agent, and the file that jobs run in.

AWS Batch adds its own part, so that this one must be a MIME archive (AWS Batch User Guide, "Launch templates").
"""

from __future__ import annotations

import pulumi

from infra.artefacts import WORKER_FILE, Artefacts

FOLDER = "/opt/planner"
# between SIGTERM and SIGKILL, below the two minutes of a spot notice: a job saves and its worker commits
STOP_S = 110
_BOUNDARY = "==planner=="


def worker_user_data(artefacts: Artefacts, region: str) -> pulumi.Output[str]:
    """The text, for a bucket that may not exist yet."""
    bundle = artefacts.bundle
    sums = dict(bundle.every_sum)
    return artefacts.bucket.id.apply(
        lambda bucket: text_of(f"s3://{bucket}/{bundle.key(WORKER_FILE)}", sums[WORKER_FILE], region)
    )


def text_of(source: str, sha256: str, region: str) -> str:
    """source: of the worker's file in S3. A node that cannot have it shuts down, so that Batch replaces it: a job that
    started there would fail."""
    file = f"{FOLDER}/{WORKER_FILE}"
    script = f"""#!/bin/bash
set -u
# Amazon ECS Developer Guide, "Amazon ECS container agent configuration"
cat >>/etc/ecs/ecs.config <<'EOF'
ECS_CONTAINER_STOP_TIMEOUT={STOP_S}s
ECS_ENABLE_SPOT_INSTANCE_DRAINING=true
EOF
install -d -m 755 {FOLDER}
for try in 1 2 3 4 5; do
  command -v aws >/dev/null || dnf install -y -q awscli-2
  aws s3 cp --only-show-errors --region {region} '{source}' {file} &&
    echo '{sha256}  {file}' | sha256sum -c - && chmod 644 {file} && exit 0
  sleep $((try * 5))
done
echo 'planner: no {WORKER_FILE}; this node shuts down' >/dev/console
shutdown -h now
"""
    return "\n".join(
        (
            "MIME-Version: 1.0",
            f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"',
            "",
            f"--{_BOUNDARY}",
            'Content-Type: text/x-shellscript; charset="us-ascii"',
            "",
            script,
            f"--{_BOUNDARY}--",
            "",
        )
    )
