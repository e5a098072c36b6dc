"""Rules over groups of machines: sizes, zones, spot, reservations and blocks, what they do by themselves."""
