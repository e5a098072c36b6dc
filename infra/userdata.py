"""User data of every node: a cloud-config that fetches the bundle by its hash, checks it and starts it."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pulumi

from infra.artefacts import Bundle
from infra.node.render import user_data_text
from planner.errors import UsageProblem

BOUNDARY = "==PLANNER=="
LARGEST_BYTES = 16_384  # EC2 User Guide: of the raw text, before base64


def user_data(bundle: Bundle, settings: Mapping[str, pulumi.Input[str]]) -> pulumi.Output[str]:
    """The text. settings: environment of the bundle, PLANNER_ROLE and the like. Raises UsageProblem when too long."""
    return pulumi.Output.all(**settings).apply(lambda given: text_of(bundle, given))


def as_multipart(text: pulumi.Output[str]) -> pulumi.Output[str]:
    """A cloud-config as the one part of a MIME archive, which is the only form that AWS PCS takes (User Guide, "Working
    with Amazon EC2 user data"): it puts its own parts beside it, and runs a cloud-config before the node registers."""
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{BOUNDARY}"\n\n'
    part = f'--{BOUNDARY}\nContent-Type: text/cloud-config; charset="us-ascii"\n\n'
    return text.apply(lambda raw: f"{head}{part}{raw}\n--{BOUNDARY}--\n")


def as_base64(text: pulumi.Output[str]) -> pulumi.Output[str]:
    """The text as a launch template takes it."""
    return text.apply(lambda raw: base64.b64encode(raw.encode()).decode())


def text_of(bundle: Bundle, settings: Mapping[str, str]) -> str:
    """The same for settings that are known. Raises UsageProblem."""
    given = {"PLANNER_BUNDLE": bundle.sha256, **settings}
    for name, value in given.items():
        if "'" in value or not value.isprintable():
            raise UsageProblem(f"{name} cannot be written into user data: {value!r}")
    text = user_data_text(given, bundle.sums)
    if len(text.encode()) > LARGEST_BYTES:
        raise UsageProblem(f"user data of {len(text.encode()):,} bytes is beyond AWS's {LARGEST_BYTES:,}")
    return text
