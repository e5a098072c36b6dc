"""What does a training job use to read and write: objects, whole checkpoints, and tar shards.

    from fleet_pool.client import Checkpoints, open_store

    store = open_store("s3://bucket", pool=("http://10.0.0.10:51080",))
    data = store.read("shards/000001.tar")                      # from the pool; from S3 if the pool cannot answer
    restored = Checkpoints(store, "checkpoints/run-7").restore()

S3 and the pool need the extra `client` (aistore, boto3); a folder of files needs nothing. See docs/pool-clients.md.
"""

from fleet_pool.client.address import open_store
from fleet_pool.client.checkpoint import Checkpoints
from fleet_pool.client.errors import StoreProblem
from fleet_pool.client.patience import Patience
from fleet_pool.client.store import Store

__all__ = ["Checkpoints", "Patience", "Store", "StoreProblem", "open_store"]
