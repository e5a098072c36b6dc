#!/bin/sh
# This node will be taken away: run everything executable in /etc/planner/leave.d, so that the node takes no new work
# and the job writes a checkpoint. POOL_NOTICE_KIND, POOL_NOTICE_ACTION and POOL_NOTICE_TIME describe the notice. A site
# puts its scheduler's command there, such as: scontrol update nodename="$(hostname -s)" state=drain reason="spot notice"
set -u
failed=0
# a job of planner-launch gets SIGTERM and its --grace-s to save; the nodes that stay begin its next attempt
if systemctl is-active --quiet planner-launch 2> /dev/null; then
  systemctl stop --no-block planner-launch
fi
for script in "${PLANNER_LEAVE:-/etc/planner/leave.d}"/*; do
  [ -x "$script" ] || continue
  if "$script"; then
    echo "planner: ran $script"
  else
    echo "planner: $script failed with exit code $?, continuing" >&2
    failed=1
  fi
done
exit "$failed"
