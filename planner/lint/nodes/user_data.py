"""User data: its encoding, size and header, and secrets in plain text."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import INSTANCE, TEMPLATE, node_configs
from planner.lint.read.values import leaves, literal
from planner.lint.rule import WARNING, Hits, rule

USER_DATA_BYTES = 16_384
# valid starts of user data: cloud-init, Windows, Bottlerocket, Ignition, gzip
HEADS = (b"#", b"<", b"[", b"{", b"Content-Type:", b"MIME-Version:", b"From ", b"\x1f\x8b")
GZIP = b"\x1f\x8b"
UNPACKED = 1_000_000  # bytes of decompressed data that are checked
SECRETS = (
    ("an access key", re.compile(r"(?<![A-Za-z0-9/+])(AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9/+])")),
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    (
        "a secret access key",
        re.compile(r"(?i)secret_?(access_?)?key[\"']?\s*[=:]\s*[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"),
    ),
    ("a session token", re.compile(r"(?i)session_?token[\"']?\s*[=:]\s*[\"']?[A-Za-z0-9/+=]{100}")),
    (
        "a token",
        re.compile(r"(?<![A-Za-z0-9])(gh[pousr]_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{34}|xox[abp]-[A-Za-z0-9-]{20})"),
    ),
    ("a Weights & Biases API key", re.compile(r"(?i)(wandb_api_key[\"']?\s*[=:]|wandb login)\s*[\"']?[0-9a-f]{40}")),
    ("a password", re.compile(r"(?i)(?<![a-z])(password|passwd)[\"']?\s*[=:]\s*[\"']?[A-Za-z0-9!@#%^&*+/=._-]{8,}")),
)


def user_data(graph: Graph) -> Iterator[tuple[Resource, str, bytes | None]]:
    """User data as the node receives it; None if it should be base64 and is not."""
    for resource in node_configs(graph):
        for key in ("userData", "userDataBase64"):
            value = literal(resource.inputs.get(key))
            if not value:
                continue
            if resource.kind == INSTANCE and key == "userData":
                yield resource, key, value.encode("utf-8", "surrogatepass")
                continue
            try:
                yield resource, key, base64.b64decode("".join(value.split()), validate=True)
            except (binascii.Error, ValueError):
                yield resource, key, None


@rule(
    "USERDATA-BASE64",
    TEMPLATE,
    INSTANCE,
    what="user data that is not base64, or is encoded twice",
    why="The launch fails, or the node runs nothing: a launch template takes base64 and decodes it once",
    remedy="Encode the user data once",
    example='userData: "#!/bin/bash ..." in a launch template',
)
def user_data_not_base64(graph: Graph) -> Hits:
    for resource, key, data in user_data(graph):
        if data is None:
            yield resource, key, "not base64"
        elif (inner := _decoded(data)) and inner.startswith(HEADS):
            yield resource, key, "encoded twice, so the node gets base64 and runs nothing"


def _decoded(data: bytes) -> bytes | None:
    """The decoded data if it is base64, else None."""
    text = b"".join(data.split())
    # a short word may be valid base64 by chance
    if len(text) < 16 or data.startswith(HEADS):
        return None
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


@rule(
    "USERDATA-HEAD",
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="user data that cloud-init does not recognize",
    why="The node starts and runs none of it: cloud-init reads the first line and needs #! or #cloud-config there",
    remedy="Start with #!/bin/sh, #cloud-config or a MIME header, with nothing before it",
    example="an empty line before #cloud-config",
)
def user_data_without_header(graph: Graph) -> Hits:
    for resource, key, data in user_data(graph):
        if data and not data.startswith(HEADS) and not _decoded(data):
            yield resource, key, f"starts with {data[:20].decode('utf-8', 'replace')!r}"


@rule(
    "USERDATA-SIZE",
    TEMPLATE,
    INSTANCE,
    what="user data over 16 KB",
    why=f"Every launch fails: EC2 accepts {USER_DATA_BYTES:,} bytes before base64 encoding, and nothing before "
    "the launch checks the size",
    remedy="Use a short script that fetches a versioned bundle from S3",
    example="20 KB of cloud-init",
)
def user_data_too_large(graph: Graph) -> Hits:
    for resource, key, data in user_data(graph):
        if data is not None and len(data) > USER_DATA_BYTES:
            yield resource, key, f"{len(data):,} bytes, {len(data) - USER_DATA_BYTES:,} too many"


def _readings(resource: Resource, where: str, leaf: str) -> Iterator[str]:
    """A text, and its decoded and decompressed forms."""
    yield leaf
    if not where.startswith("userData") and "contentBase64" not in where:
        return
    data: bytes | None = leaf.encode("utf-8", "surrogatepass")
    for _ in range(3):
        data = _unpacked(data or b"")
        if data:
            yield data.decode("utf-8", "replace")


def _unpacked(data: bytes) -> bytes | None:
    if data.startswith(GZIP):
        try:
            return zlib.decompressobj(31).decompress(data, UNPACKED)
        except zlib.error:
            return None
    return _decoded(data)


@rule(
    "SECRET-PLAIN",
    what="a key, token or password in plain text",
    why="Anyone who can read the Pulumi state, the user data or a deployment log can read the secret. Base64 "
    "does not protect it",
    remedy="Store it in Secrets Manager or SSM Parameter Store and let the node's role read it",
    example="AWS_SECRET_ACCESS_KEY in user data",
)
def plaintext_secret(graph: Graph) -> Hits:
    for resource in graph.resources:
        for where, leaf in leaves(resource.inputs):
            if not isinstance(leaf, str) or len(leaf) < 8:
                continue
            kinds = {
                what for text in _readings(resource, where, leaf) for what, pattern in SECRETS if pattern.search(text)
            }
            for what in sorted(kinds):
                yield resource, where, what
