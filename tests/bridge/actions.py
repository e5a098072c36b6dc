"""What the provider really asked of AWS, as IAM actions: read from the requests that a moto server kept."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3

# S3 has no word for the action in its requests: method, and the sub-resource that the query names -> action
BUCKET = {
    "": {
        "PUT": "CreateBucket",
        "DELETE": "DeleteBucket",
        "HEAD": "ListBucket",
        "GET": "ListBucket",
    },
    "accelerate": {"GET": "GetAccelerateConfiguration"},
    "acl": {"GET": "GetBucketAcl"},
    "cors": {"GET": "GetBucketCORS"},
    "encryption": {"GET": "GetEncryptionConfiguration", "PUT": "PutEncryptionConfiguration"},
    "lifecycle": {"GET": "GetLifecycleConfiguration", "PUT": "PutLifecycleConfiguration"},
    "logging": {"GET": "GetBucketLogging"},
    "object-lock": {"GET": "GetBucketObjectLockConfiguration"},
    "ownershipControls": {"GET": "GetBucketOwnershipControls", "PUT": "PutBucketOwnershipControls"},
    "policy": {"GET": "GetBucketPolicy", "PUT": "PutBucketPolicy", "DELETE": "DeleteBucketPolicy"},
    "publicAccessBlock": {"GET": "GetBucketPublicAccessBlock", "PUT": "PutBucketPublicAccessBlock"},
    "replication": {"GET": "GetReplicationConfiguration"},
    "requestPayment": {"GET": "GetBucketRequestPayment"},
    "tagging": {"GET": "GetBucketTagging", "PUT": "PutBucketTagging"},
    "versioning": {"GET": "GetBucketVersioning", "PUT": "PutBucketVersioning"},
    "versions": {"GET": "ListBucketVersions"},
    "website": {"GET": "GetBucketWebsite"},
}
# undone by the action that did it (Service Authorization Reference, S3)
UNDONE = {
    "encryption": "PutEncryptionConfiguration",
    "lifecycle": "PutLifecycleConfiguration",
    "ownershipControls": "PutBucketOwnershipControls",
    "publicAccessBlock": "PutBucketPublicAccessBlock",
}
SERVICES = {"monitoring": "cloudwatch"}  # as it signs -> as IAM calls it
PROVIDER = "APN"  # begins the user agent of the Terraform provider
_SCOPE = re.compile(r"Credential=[^/]+/\d+/[^/]+/([^/]+)/aws4_request")


def asked(recording: Path, agent: str) -> Iterator[str]:
    """Actions of every request whose user agent begins so, in order."""
    for entry in _entries(recording.read_text()):
        headers = {name.lower(): value for name, value in entry["headers"].items()}
        scope = _SCOPE.search(headers.get("authorization", ""))
        if scope and headers.get("user-agent", "").startswith(agent):
            yield _action(scope[1], entry, headers)


def _entries(text: str) -> Iterator[Mapping[str, Any]]:
    """Threads write at once, and a long request may be torn: what is torn is left out."""
    for line in text.split('{"headers": ')[1:]:
        try:
            yield json.JSONDecoder().raw_decode('{"headers": ' + line)[0]
        except ValueError:
            continue


def _action(scope: str, entry: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    service = SERVICES.get(scope, scope)
    if service == "s3":
        return f"s3:{_of_s3(entry)}"
    if service == "batch":
        return f"batch:{_of_paths(service)[urlsplit(entry['url']).path]}"
    if target := headers.get("x-amz-target"):
        return f"{service}:{target.rpartition('.')[2]}"
    body = base64.b64decode(entry["body"]).decode() if entry["body_encoded"] else entry["body"] or ""
    names = parse_qs(body).get("Action") or parse_qs(urlsplit(entry["url"]).query).get("Action")
    return f"{service}:{names[0] if names else urlsplit(entry['url']).path}"


@cache
def _of_paths(service: str) -> dict[str, str]:
    """Path -> operation, of a service that names its operations by path."""
    model = boto3.client(service, region_name="us-east-1").meta.service_model
    return {model.operation_model(name).http["requestUri"]: name for name in model.operation_names}


def _of_s3(entry: Mapping[str, Any]) -> str:
    url, method = urlsplit(entry["url"]), entry["method"]
    named = [name for name in parse_qs(url.query, keep_blank_values=True) if name in BUCKET]
    part = named[0] if named else ""
    if "/" in url.path.strip("/"):
        return f"{method} of an object {part}".strip()
    if method == "DELETE" and part in UNDONE:
        return UNDONE[part]
    if method == "POST" and "delete" in parse_qs(url.query, keep_blank_values=True):
        return "DeleteObjectVersion"
    return BUCKET[part].get(method, f"{method} {part}")
