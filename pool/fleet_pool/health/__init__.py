"""`planner-health`: whether this node should take jobs, and what to do if not. docs/health.md has every limit.

limits.py has the numbers, readings.py and kernel_log.py read what programs say, judge.py compares both, decide.py says
what follows, halving.py finds a slow node by bandwidth: all pure. look.py, doer.py, records.py and collective.py touch
the machine.
"""
