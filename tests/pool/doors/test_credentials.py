"""The job's token as AWS's SDKs ask for it: read by botocore's own code, which asks again when it is over."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import botocore.credentials
import botocore.exceptions
import pytest
from fleet_pool.doors import credentials

NOW = datetime(2026, 11, 29, 2, tzinfo=UTC)


@pytest.fixture
def asked(monkeypatch, tmp_path: Path):
    """What an SDK gets that asks this program, with a file that may hold a token."""
    file = tmp_path / "job.token"
    monkeypatch.delenv("AIS_AUTHN_TOKEN", raising=False)
    monkeypatch.setenv("AIS_AUTHN_TOKEN_FILE", str(file))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    profile = {"profiles": {"default": {"credential_process": f"{sys.executable} -m fleet_pool.doors.credentials"}}}

    def ask():
        return botocore.credentials.ProcessProvider("default", lambda: profile).load()

    return file, ask


def test_an_sdk_of_aws_takes_the_token_of_the_file_as_its_session_token(asked):
    file, ask = asked
    file.write_text(json.dumps({"token": "first.one.signed"}))
    found = ask()
    assert found.token == "first.one.signed"
    file.write_text(json.dumps({"token": "renewed.one.signed"}))
    found._expiry_time = NOW  # over: it asks again
    assert found.get_frozen_credentials().token == "renewed.one.signed"


@pytest.mark.parametrize("text", [None, "no json", json.dumps({"token": ""})])
def test_without_a_token_the_sdk_says_why(asked, text):
    file, ask = asked
    if text is not None:
        file.write_text(text)
    with pytest.raises(botocore.exceptions.CredentialRetrievalError, match=r"credentials: (cannot|no) .*token"):
        ask()


def test_it_is_valid_for_minutes_in_utc():
    told = json.loads(credentials.answer("t", NOW.astimezone()))
    assert datetime.fromisoformat(told["Expiration"]) == NOW + timedelta(minutes=credentials.VALID_MINUTES)
