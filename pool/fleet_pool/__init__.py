"""The pool on the nodes: what its daemons are told, and what runs beside them.

This package also runs on the nodes themselves, shipped as one file: it imports the standard library alone and keeps
to Python 3.9, which is what Amazon Linux 2023 has. Nothing outside is imported from here but by the planner.
"""
