#!/bin/sh
# This node has a notice: everything executable in /etc/planner/leave.d is told, so that no new work is taken and the
# job writes a checkpoint. POOL_NOTICE_KIND, POOL_NOTICE_ACTION and POOL_NOTICE_TIME say of what. A site puts its
# scheduler's words there, like: scontrol update nodename="$(hostname -s)" state=drain reason="spot notice"
set -u
failed=0
for script in "${PLANNER_LEAVE:-/etc/planner/leave.d}"/*; do
  [ -x "$script" ] || continue
  if "$script"; then
    echo "planner: told $script"
  else
    echo "planner: $script ended with $?, going on" >&2
    failed=1
  fi
done
exit "$failed"
