"""What starts one command on every node of a fleet, and starts it again from the last COMMIT? `planner-launch`.

Every GPU node runs the agent. Nodes agree through objects in the data bucket that are written once, and watch each
other over the fleet's own network; no clock is compared (docs/decisions/0011). Python 3.9, standard library alone.
"""
