"""A Slurm cluster that several projects share: its accounts, the life of its Capacity Blocks, its jobs in dollars.

Python's standard library and Slurm's own commands alone: it runs on the login node.
"""

HEALTH_PROGRAM = "/usr/local/bin/planner-health-slurm"
# sysexits.h, EX_TEMPFAIL: planner-launch has saved and asks for another start (RequeueExit)
REQUEUE_CODE = 75
NODES_OUT = "SlurmNodesOut"  # metric of the login node: nodes that take no jobs
SETTINGS = "scheduler/settings.json"  # of the login node, in the bucket of bundles
SETTINGS_FILE = "/etc/planner/slurm.json"
MARKETS_SEEN = "/var/lib/planner/slurm-markets.json"  # of the login node: what gangs have seen of spot
