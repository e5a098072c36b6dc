"""Builds a dated price folder out of source CSV files.

observations.py reads the sources, days.py and events.py hold the rules of dates, tiers.py fits tiers
together, listings.py knows which sources prove absence, assemble.py makes the tables; snapshot.py of
the parent package writes them. Run `python -m pricing.build --help`.
"""
