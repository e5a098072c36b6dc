"""The plan, standing up: the Pulumi program, the graph of what it makes, and rules over such a graph."""

import planner as planner  # finds the old paths of modules that moved out of infra
