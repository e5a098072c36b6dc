"""A small job that is interruptible: python job.py STEPS STEP_S. A line in TRACE for every step.

Its state depends on every step, so that a step that was left out or done twice shows in the result.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

STEPS, STEP_S = int(sys.argv[1]), float(sys.argv[2])
told = []
signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))


def save(step: int, state: int) -> None:
    folder = Path(os.environ["PLANNER_SAVES"])
    part = folder / f".{step}"
    part.write_text(json.dumps({"step": step, "state": state}))
    part.rename(folder / str(step))


def trace(what: str, step: int) -> None:
    with open(os.environ["TRACE"], "a") as file:
        words = (os.environ["PLANNER_JOB_INDEX"], os.environ["PLANNER_TRY"], what, step, time.time())
        file.write(" ".join(map(str, words)) + "\n")


if os.environ.get("BROKEN_DEVICE"):
    sys.exit("no usable device")
resume = os.environ["PLANNER_RESUME"]
found = json.loads(Path(resume).read_text()) if resume else {"step": 0, "state": int(os.environ["PLANNER_JOB_INDEX"])}
step, state = found["step"], found["state"]
assert step == int(os.environ["PLANNER_STEP"])
trace("began", step)
while step < STEPS and not told:
    time.sleep(STEP_S)
    step, state = step + 1, (state * 31 + step + 1) % 1_000_003
    trace("step", step)
    Path(os.environ["PLANNER_PROGRESS"]).write_text(str(step))
    if step % int(os.environ["PLANNER_EVERY_STEPS"]) == 0 or told:
        save(step, state)
if told and step < STEPS:
    save(step, state)
    sys.exit(0)
Path(os.environ["RESULTS"], os.environ["PLANNER_JOB_INDEX"]).write_text(str(state))
