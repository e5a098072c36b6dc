"""Which token a program shows to the pool's proxies: a job its own, an operator's command the administrator's.

A file holds the engine's own form, {"token": "..."}. Nodes renew it, so it is read again for every connection.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from fleet_pool.problems import UsageProblem

TOKEN_VARIABLE, FILE_VARIABLE = "AIS_AUTHN_TOKEN", "AIS_AUTHN_TOKEN_FILE"  # the engine's own
ADMIN_FILE = "/etc/planner/tls/admin.token"  # on nodes, readable by root


def job_token(environment: Mapping[str, str]) -> str:
    """The token of the environment, "" without one. Raises UsageProblem if its file cannot be read."""
    return environment.get(TOKEN_VARIABLE, "") or _read(environment.get(FILE_VARIABLE, ""))


def operator_token(environment: Mapping[str, str]) -> str:
    """As `job_token`, but root on a node shows the node's administrator token. Raises UsageProblem."""
    named = environment.get(TOKEN_VARIABLE, "")
    if not named and os.access(ADMIN_FILE, os.R_OK):
        return _read(ADMIN_FILE)
    return named or job_token(environment)


def _read(path: str) -> str:
    if not path:
        return ""
    try:
        return str(json.loads(Path(path).read_text(encoding="utf-8"))["token"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) else 'it needs {"token": "..."}'
        raise UsageProblem(f"cannot read the token of {FILE_VARIABLE}, {path}: {why}") from None
