"""Rules over data: buckets and their keys, file systems, how long things are kept and who reaches them."""
