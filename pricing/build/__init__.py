"""Builds a dated price folder from source CSV files.

observations.py reads the sources, days.py and events.py have the rules for dates, tiers.py joins tiers, listings.py
says which sources prove absence, assemble.py makes the tables; snapshot.py of the parent package writes them. Run
`python -m pricing.build --help`.
"""
