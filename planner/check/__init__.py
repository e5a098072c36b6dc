"""What an AWS account says to a stack before it is deployed, read only. `run.py` and `ask_quotas.py` ask; every other
file judges answers and asks nothing."""
