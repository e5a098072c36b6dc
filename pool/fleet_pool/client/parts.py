"""A large object to S3 in parts, several at once, completed on a condition.

boto3's own transfer cannot set one (s3transfer 0.19, ALLOWED_UPLOAD_ARGS).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, BinaryIO

AT_ONCE = 4  # parts under way, each in memory
MOST_PARTS = 10_000  # S3 User Guide, "Amazon S3 multipart upload limits"


def upload_in_parts(
    client: Any, bucket: str, key: str, stream: BinaryIO, size: int, part_bytes: int, condition: Mapping[str, str]
) -> None:
    """Reads the stream once, in order. client: of boto3. condition: IfMatch or IfNoneMatch, checked when the parts
    become the object.

    An upload that fails is aborted, so that no late request can complete it. Raises errors of botocore.
    """
    part_bytes = max(part_bytes, -(-size // MOST_PARTS))
    where = {"Bucket": bucket, "Key": key}
    upload = {**where, "UploadId": client.create_multipart_upload(**where)["UploadId"]}
    sent: deque[Future[Any]] = deque()
    tags: list[str] = []
    try:
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="part") as threads:
            try:
                while body := stream.read(part_bytes):
                    number = len(tags) + len(sent) + 1
                    sent.append(threads.submit(client.upload_part, **upload, PartNumber=number, Body=body))
                    if len(sent) == AT_ONCE:
                        tags.append(sent.popleft().result()["ETag"])
                tags += [future.result()["ETag"] for future in sent]
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise
        parts = [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(tags, 1)]
        client.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts}, **condition)
    except BaseException:
        with suppress(Exception):  # the first error is the one to report
            client.abort_multipart_upload(**upload)
        raise
