"""The lint verb: formats, exit codes, output streams, errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.lint.rules import RULES
from tests.lint import graphs
from tests.lint.mistakes import lt
from tests.typed import SMALL, planner


def written(folder: Path, document: object, name: str = "graph.json", **how: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(document, **how), encoding="utf-8")  # type: ignore[arg-type]
    return path


@pytest.fixture
def clean(tmp_path) -> Path:
    return written(tmp_path, graphs.ours("converged"), indent=1)


@pytest.fixture
def wrong(tmp_path) -> Path:
    document = graphs.ours("converged")
    lt(document)["networkInterfaces"][-1]["networkCardIndex"] = 32
    lt(document)["keyName"] = "ops"
    return written(tmp_path, document, "wrong.json", indent=1)


def test_exit_codes(tmp_path, clean, wrong):
    assert planner("lint", "--graph", clean).returncode == 0
    assert planner("lint", "--graph", wrong).returncode == 13
    warned = graphs.ours("s3-stream")
    lt(warned)["keyName"] = "ops"
    done = planner("lint", "--graph", written(tmp_path, warned))
    assert (done.returncode, "warning SSH-KEY" in done.stdout) == (0, True)


@pytest.mark.thorough
def test_plan_is_linted_like_its_preview():
    done = planner("lint", SMALL, "--scenario", "best", "-f", "json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"schema_version": "1", "findings": []})
    bare = planner("lint", SMALL, "--scenario", "best", "--set", "storage.s3_gateway_endpoint=false", "-f", "json")
    assert bare.returncode == 13
    assert [finding["id"] for finding in json.loads(bare.stdout)["findings"]] == ["S3-GATEWAY"]


def test_json_has_documented_keys_with_errors_first(wrong):
    found = json.loads(planner("lint", "--graph", wrong, "-f", "json").stdout)
    assert list(found) == ["schema_version", "findings"]
    error, warning = found["findings"]
    keys = ["id", "severity", "resource", "property", "message", "why", "remedy", "usd_at_risk"]
    assert list(error) == list(warning) == keys
    assert (error["id"], error["severity"], warning["id"], warning["severity"]) == (
        "EFA-CARD",
        "error",
        "SSH-KEY",
        "warning",
    )
    assert error["property"] == "networkInterfaces[32].networkCardIndex"
    assert error["resource"].endswith("::fleet-template")
    assert error["usd_at_risk"] == pytest.approx(24 * 440.82)


@pytest.mark.parametrize("width", [80, 160])
def test_table_fits_and_explains_each_rule_once(tmp_path, width):
    document = graphs.ours("converged")
    for nic in lt(document)["networkInterfaces"][1:]:
        nic["associatePublicIpAddress"] = "false"
    done = planner("lint", "--graph", written(tmp_path, document), COLUMNS=str(width))
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert sum(line.startswith("error EFA-ADDRESS") for line in lines) == 32
    assert sum("Why: Every launch fails" in line for line in lines) == 1
    assert lines[-1].startswith("32 errors in ")
    assert "Why:" not in planner("lint", "--graph", tmp_path / "graph.json", "-q").stdout


def test_sarif_has_required_fields(wrong):
    found = json.loads(planner("lint", "--graph", wrong, "-f", "sarif").stdout)
    assert (found["version"], found["$schema"].endswith("sarif-schema-2.1.0.json")) == ("2.1.0", True)
    (run,) = found["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.id for rule in RULES]
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    text = wrong.read_text(encoding="utf-8").splitlines()
    assert len(run["results"]) == 2
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        assert result["message"]["text"]
        (place,) = result["locations"]
        line = text[place["physicalLocation"]["region"]["startLine"] - 1]
        assert place["logicalLocations"][0]["fullyQualifiedName"] in line
        assert place["physicalLocation"]["artifactLocation"]["uri"].endswith("wrong.json")
    marks = [next(iter(result["partialFingerprints"].values())) for result in run["results"]]
    assert len(set(marks)) == 2


def ids(*words: object) -> list[str]:
    return [finding["id"] for finding in json.loads(planner("lint", *words, "-f", "json").stdout)["findings"]]


def test_rules_are_selected_and_ignored(wrong):
    assert ids("--graph", wrong, "--select", "ssh-key,EFA-CARD") == ["EFA-CARD", "SSH-KEY"]
    assert ids("--graph", wrong, "--select", "SSH-KEY") == ["SSH-KEY"]
    assert ids("--graph", wrong, "--ignore", "EFA-CARD", "--ignore", "SSH-KEY") == []
    assert planner("lint", "--graph", wrong, "--ignore", "EFA-CARD").returncode == 0
    done = planner("lint", "--graph", wrong, "--ignore", "EFA-CRAD")
    assert (done.returncode, "no rule EFA-CRAD; did you mean EFA-CARD" in done.stderr) == (2, True)


def test_what_a_baseline_knows_is_not_repeated(tmp_path, wrong):
    baseline = tmp_path / "known.json"
    planner("lint", "--graph", wrong, "--select", "EFA-CARD", "-o", baseline)
    assert ids("--graph", wrong, "--baseline", baseline) == ["SSH-KEY"]
    done = planner("lint", "--graph", wrong, "--baseline", baseline)
    assert (done.returncode, "1 finding of" in done.stderr) == (0, True)
    (tmp_path / "odd.json").write_text('{"findings": [{"id": "X"}]}')
    done = planner("lint", "--graph", wrong, "--baseline", tmp_path / "odd.json")
    assert (done.returncode, "not a result of `planner lint -f json`" in done.stderr) == (2, True)


def test_file_extension_selects_the_format(tmp_path, wrong):
    for name, key in (("out.sarif", "runs"), ("out.json", "findings")):
        done = planner("lint", "--graph", wrong, "-o", tmp_path / name)
        assert (done.returncode, done.stdout) == (13, "")
        assert key in json.loads((tmp_path / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"not json", "this is not JSON"),
        (b"[]", 'an object with a list "resources"'),
        (b"{}", 'an object with a list "resources"'),
        (b'{"resources": [1]}', "resources[0] is a number"),
        (b'{"resources": [{"name": "a"}]}', 'resources[0] has no "type"'),
        (b'{"resources": [{"type": "t", "name": "a", "inputs": []}]}', '"inputs" is a list, not an object'),
        (b"\xff\xfe{", "not UTF-8 at byte 0"),
        (b"[" * 50_000, "nested too deeply"),
    ],
)
def test_invalid_file_is_rejected_with_a_message(tmp_path, text, says):
    path = tmp_path / "odd.json"
    path.write_bytes(text)
    done = planner("lint", "--graph", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert "odd.json" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "name a plan, or --graph FILE"),
        (("graph.json",), "a resource graph needs --graph: planner lint --graph graph.json"),
        ((SMALL, "--graph", "x.json"), "--graph takes no plan"),
        (("--graph", "nowhere.json"), "cannot read nowhere.json: No such file"),
        ((SMALL, "--scenario", "nope"), "no scenario 'nope'"),
    ],
)
def test_invalid_call_says_what_to_type(words, says):
    done = planner("lint", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_hostile_name_is_escaped_in_every_format(tmp_path):
    document = {
        "resources": [
            {"type": "aws:ec2/vpc:Vpc", "name": "a\x1b[2J\u202eb\ud800", "inputs": {"cidrBlock": "10.0.0.0/8\n"}}
        ]
    }
    path = written(tmp_path, document)
    for form in ("table", "json", "sarif"):
        done = planner("lint", "--graph", path, "-f", form)
        assert done.returncode == 13
        assert not any(char in done.stdout for char in ("\x1b", "\u202e"))
        assert "a\\u001b[2J\\u202eb\\ud800" in done.stdout
