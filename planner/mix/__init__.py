"""The mix of commitments over a horizon: what to reserve, which Savings Plans, what stays On-Demand or on spot.

`model` has the types, `order` the bill in AWS's order, `hours` and `bound` the proven lower bound, `search` whole
counts, `baselines` what others would buy, `monthly` advice without foresight, `draws` uncertain demand.
"""
