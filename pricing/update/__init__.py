"""From what AWS publishes to a new dated book.

compute.py, metered.py, savings_plans.py, blocks.py and market.py turn documents into rows; merge.py puts them over an
older book; integrity.py checks the result before it counts. Pure: planner.account and files bring the documents.
"""
