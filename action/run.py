"""The GitHub Action: run the planner, show its report, comment on the pull request, fail on gates.

It needs the standard library and the planner beside its own Python. The inputs are environment variables (action.yml);
results go into the runner's files GITHUB_OUTPUT and GITHUB_STEP_SUMMARY. The comment is found by the hidden marker in
the report's first line. A comment that cannot be posted is a warning: the gates decide alone.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MOST_CHARACTERS = 65_000  # GitHub refuses comments of more than 65,536
PAGE, MOST_PAGES = 100, 50
SECONDS = 30


class CannotComment(Exception):
    """Why there is no comment, in words."""


def main(env: Mapping[str, str]) -> int:
    folder = Path(env["RUNNER_TEMP"])
    report, junit, data = (folder / f"planner-{name}" for name in ("report.md", "gates.xml", "comparison.json"))
    words = [env["PLANNER_PLAN"], *shlex.split(env.get("PLANNER_ARGUMENTS", ""))]
    code = _planner("report", *words, "-f", "md", "-o", str(report), *_gates(env, junit))
    outputs: dict[str, str] = {"passed": str(code == 0).lower(), "report": "", "junit": ""}
    if report.is_file():
        text = report.read_text(encoding="utf-8")
        outputs |= {"report": str(report), "junit": str(junit)}
        if _planner("compare", *_without_pictures(words), "-f", "json", "-o", str(data), "-q") == 0:
            outputs |= figures(json.loads(data.read_text(encoding="utf-8")))
        _append(env, "GITHUB_STEP_SUMMARY", text)
        if env.get("PLANNER_COMMENT", "true") == "true":
            try:
                outputs["comment-url"] = comment(env, text)
            except CannotComment as reason:
                print(f"::warning title=No comment::{reason}")
    _write_outputs(env, outputs)
    return code


def _without_pictures(words: list[str]) -> list[str]:
    """What `report` was given, without what `compare` does not have."""
    return [word for word in words if word not in ("--architecture", "--no-architecture")]


def _gates(env: Mapping[str, str], junit: Path) -> list[str]:
    words = ["--junit", str(junit), "--at", env.get("PLANNER_AT") or "p50"]
    for name in ("max-cost", "max-days", "max-unpriced"):
        value = env.get(f"PLANNER_{name.upper().replace('-', '_')}", "")
        words += [f"--{name}", value] if value else []
    return [*words, "--strict"] if env.get("PLANNER_STRICT") == "true" else words


def _planner(*words: str) -> int:
    """Run a verb. What it says on standard error is shown, gates and mistakes as annotations."""
    command = [str(Path(sys.executable).with_name("planner")), *words]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    for line in done.stderr.splitlines():
        # workflow commands end with the line, so a message cannot start one of its own
        is_error = done.returncode != 0 and not line.startswith(("Wrote ", "warning: ", "note: "))
        print(f"::error title=planner::{_escaped(line)}" if is_error else _escaped(line))
    return done.returncode


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("::", ":\u200b:")


def figures(document: Mapping[str, Any]) -> dict[str, str]:
    """The outputs of a comparison: of the recommended choice, empty without one."""
    best = document["answer"]["recommended"]
    found = next((each for each in document["scenarios"] if each["id"] == best), None) if best else None
    if found is None:
        return {"recommended": ""}
    numbers = {
        "cost-usd-p50": (found.get("cost_usd") or {}).get("p50"),
        "cost-usd-p90": (found.get("cost_usd") or {}).get("p90"),
        "days-p50": (found.get("days") or {}).get("p50"),
    }
    return {"recommended": best, **{name: "" if value is None else f"{value:.2f}" for name, value in numbers.items()}}


def comment(env: Mapping[str, str], text: str) -> str:
    """Post the report, or update the comment that has its marker; returns its address. Raises CannotComment."""
    number = _pull_request(env)
    marker = text.partition("\n")[0]
    if not marker.startswith("<!--"):
        raise CannotComment("the report has no marker in its first line")
    if len(text) > MOST_CHARACTERS:
        text = text[:MOST_CHARACTERS] + "\n\n(cut: the whole report is in the step's summary)\n"
    issues = f"{env.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{env['GITHUB_REPOSITORY']}/issues"
    for page in range(1, MOST_PAGES + 1):
        there = _asked(env, "GET", f"{issues}/{number}/comments?per_page={PAGE}&page={page}")
        own = next((each for each in there if str(each.get("body", "")).startswith(marker)), None)
        if own is not None:
            return _asked(env, "PATCH", f"{issues}/comments/{own['id']}", {"body": text})["html_url"]
        if len(there) < PAGE:
            break
    return _asked(env, "POST", f"{issues}/{number}/comments", {"body": text})["html_url"]


def _pull_request(env: Mapping[str, str]) -> int:
    try:
        event = json.loads(Path(env.get("GITHUB_EVENT_PATH", "")).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        event = None
    event = event if isinstance(event, dict) else {}
    issue = event.get("issue") or {}  # of a comment on a pull request, which is an issue too
    found = event.get("pull_request") or (issue if issue.get("pull_request") else {})
    if not found.get("number"):
        raise CannotComment("this workflow does not run for a pull request; `comment: false` leaves the comment out")
    return int(found["number"])


def _asked(env: Mapping[str, str], method: str, address: str, body: Mapping[str, str] | None = None) -> Any:
    request = urllib.request.Request(
        address,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {env.get('PLANNER_TOKEN', '')}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        remedy = ""
        if error.code in (401, 403, 404):
            remedy = "; the job needs `permissions: {pull-requests: write}`, which pull requests of forks do not get"
        raise CannotComment(f"GitHub answered {error.code} to {method}{remedy}") from None
    except (OSError, ValueError) as error:
        raise CannotComment(f"GitHub could not be reached: {type(error).__name__}") from None


def _append(env: Mapping[str, str], name: str, text: str) -> None:
    if env.get(name):
        with Path(env[name]).open("a", encoding="utf-8") as file:
            file.write(text)


def _write_outputs(env: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """As the runner reads them: a delimiter that no value can contain ends each."""
    end = f"end-{uuid.uuid4()}"
    _append(env, "GITHUB_OUTPUT", "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value in outputs.items()))


if __name__ == "__main__":
    sys.exit(main(os.environ))
