"""Interruptible work on spot capacity: recorded availability, what it says of a market, and rules replayed on it.

A trace is a recording of how many spot nodes could be held, tick by tick. Nothing here knows a plan or a price book.
"""
