"""The Pulumi program that deploys a stack file, and the resource graph that a preview shows."""

import planner as planner  # finds the old paths of modules that moved out of infra
