"""IAM policies as JSON text: documents, and trust policies of roles."""

from __future__ import annotations

import json
from collections.abc import Mapping

Statement = Mapping[str, object]


def document(*statements: Statement) -> str:
    """A policy document, for a role, a bucket, a key, a topic or an endpoint."""
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def trust(service: str, account: str = "") -> str:
    """Trust policy for one AWS service; limited to one account, for services that name the account they act for."""
    statement: dict[str, object] = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
    }
    if account:
        statement["Condition"] = {"StringEquals": {"aws:SourceAccount": account}}
    return document(statement)
