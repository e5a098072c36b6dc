"""What `import planner` offers, and what the command line is made of. `planner/__init__.py` names it."""
