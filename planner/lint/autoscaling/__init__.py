"""Do all nodes start together and keep running: sizes, zones, Spot, reservations, Capacity Blocks?"""
