"""Published figures, and what the planner's own equations and plans say of each: the evidence for its model.

cases.csv has the figures, each with its public source and the equation and inputs that replay it.
"""
