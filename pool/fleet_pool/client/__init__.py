"""What a training job holds of the pool: objects read and written, checkpoints that are whole or not there, shards.

    store = open_store("s3://bucket", pool=("http://10.0.0.10:51080",))      # fleet_pool.client.address
    data = store.read("shards/000001.tar")                                       # the pool first, S3 where it cannot
    saved = Checkpoints(store, "checkpoints/run-7").restore()                          # fleet_pool.client.checkpoint

Needs the extra `pool` (aistore, boto3); a folder of files in place of S3 needs nothing. See docs/pool-clients.md.
"""
