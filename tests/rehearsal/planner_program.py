"""`planner`, whose questions to AWS the stand-in cloud answers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from planner.account import aws_client
from planner.cli import main
from tests.engine.cloud.api import Api
from tests.engine.cloud.store import Cloud

aws_client.client = Api(Cloud(Path(os.environ["STAND_IN_CLOUD"]) / "cloud.json")).client
main.run(sys.argv[1:])
