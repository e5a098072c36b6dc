"""Is the data kept, encrypted and reachable: buckets, KMS keys, lifecycles, Lustre file systems?"""
