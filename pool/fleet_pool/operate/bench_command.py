"""`planner acceptance` starts this on all nodes at once: one node's part of a measurement of what the stack stores in.

planner-pool bench BUCKET ...                                      through the pool
python3 -m fleet_pool.operate.bench_command s3 BUCKET ...          S3 itself
python3 -m fleet_pool.operate.bench_command folder /fsx ...        files that all nodes mount
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence
from functools import partial

from fleet_pool.launch.here import checkpoints_prefix
from fleet_pool.operate import s3
from fleet_pool.operate.bench import LONGEST_S, Bench, Place, Storage, parts_of
from fleet_pool.operate.folder_links import FolderLinks, released
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.links import Links, S3Links
from fleet_pool.operate.options import note_writer, positive, reachable_client, seconds, timeout, whole
from fleet_pool.operate.tally import packed
from fleet_pool.problems import Code, PoolProblem, UsageProblem

MOST_OBJECT_BYTES = 2**30  # of a measurement: it is held in memory


def arguments(found: argparse.ArgumentParser) -> None:
    found.add_argument("--run", dest="run_id", required=True, metavar="ID", help="the same on all nodes, new each time")
    found.add_argument("--of", required=True, metavar="NODE,NODE...", help="all nodes, the same list on each")
    found.add_argument("--me", required=True, metavar="NODE", help="this one")
    found.add_argument("--sizes", default="1000000", metavar="BYTES,...", help="of objects [default: 1000000]")
    found.add_argument(
        "--checkpoint-bytes", type=positive, default=0.0, metavar="BYTES", help="of all nodes [default: none]"
    )
    found.add_argument(
        "--most-bytes", type=positive, default=float(2**30), metavar="BYTES", help="a node and size [default: 1 GiB]"
    )
    found.add_argument("--read-s", type=seconds, default=10.0, metavar="S", help="reads of each size [default: 10]")
    found.add_argument("--processes", type=whole, default=4, metavar="N", help="on this node [default: 4]")
    found.add_argument("--threads", type=whole, default=8, metavar="N", help="of each process [default: 8]")
    found.add_argument("--forget", action="store_true", help="empty the kernel's cache of files before reads, as root")
    found.add_argument("--packed", action="store_true", help="print one short line, for Systems Manager")
    timeout(found, 900.0)


def measure(given: argparse.Namespace, storage: Storage) -> int:
    """Prints what each part took, as JSON. Raises PoolProblem."""
    nodes = given.of.split(",")
    if given.me not in nodes or len(set(nodes)) < len(nodes):
        raise UsageProblem(f"--me {given.me} is not one of --of, or one is there twice")
    if not all(size.isdecimal() and 0 < int(size) <= MOST_OBJECT_BYTES for size in given.sizes.split(",")):
        raise UsageProblem(f"--sizes {given.sizes}: bytes from 1 to {MOST_OBJECT_BYTES:,}, with commas between")
    place = Place(
        run=given.run_id,
        number=nodes.index(given.me),
        nodes=len(nodes),
        processes=int(given.processes),
        threads=int(given.threads),
        limit_s=given.timeout_s,
    )
    parts = parts_of(
        [int(size) for size in given.sizes.split(",")],
        seconds=given.read_s,
        most_bytes=int(given.most_bytes),
        checkpoint_bytes=int(given.checkpoint_bytes),
        nodes=len(nodes),
    )
    found = Bench(storage, place, note_writer(given)).run(parts, forget=given.forget)
    report = {"schema_version": "1", "node": given.me, "parts": found}
    print(packed(report) if given.packed else json.dumps(report, separators=(",", ":")))
    return Code.OK


def pool(given: argparse.Namespace) -> Storage:
    """Objects through the pool; a checkpoint is read from S3 itself. Raises PoolProblem."""
    from fleet_pool.operate.buckets import registered

    client, direct = reachable_client(given), in_s3(given.bucket)
    registered(client, given.bucket)

    def links() -> Links:
        gateways = random.sample(client.proxies, len(client.proxies))
        return Links(gateways, client.shown, client.tls, LONGEST_S)

    return Storage(bucket=given.bucket, open=links, prefix=direct.prefix, saves=direct.saves, cold=direct.open)


def in_s3(bucket: str) -> Storage:
    """Objects in S3 itself, below the prefix that nodes may write. Raises PoolProblem."""
    metadata, prefix = Metadata.of(os.environ), checkpoints_prefix()
    where = s3.place(os.environ, metadata)
    links = partial(S3Links, where, partial(s3.credentials, os.environ, metadata), LONGEST_S)
    return Storage(bucket=bucket, open=links, prefix=prefix, saves=prefix)


def in_folder(folder: str, linked: str) -> Storage:
    """Files. linked: the folder below it that is exported to S3; "" for none."""
    forget = partial(released, folder) if linked else lambda keys: "no bucket is linked to the file system"
    return Storage(bucket=folder, open=FolderLinks, prefix="", saves=f"{linked}/" if linked else "", forget=forget)


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0, or that of the problem."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("s3", "folder"))
    parser.add_argument("where", metavar="BUCKET or FOLDER")
    parser.add_argument("--linked", default="", metavar="NAME", help="below FOLDER: exported to S3")
    parser.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")
    arguments(parser)
    given = parser.parse_args(words)
    try:
        return measure(given, in_s3(given.where) if given.kind == "s3" else in_folder(given.where, given.linked))
    except PoolProblem as error:
        print(f"bench: {error}", file=sys.stderr)
        return error.code


if __name__ == "__main__":
    sys.exit(main())
