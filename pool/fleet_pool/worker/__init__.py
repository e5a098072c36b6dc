"""`planner-worker`: runs one job of a list on an interruptible machine, so that any other machine can finish it.

What makes machines, queues jobs and starts one again is a batch service; here is only what has to be beside the job:
checkpoints, heartbeat, the interruption notice, the reason why a job ended, and which machines spoil jobs.
"""
