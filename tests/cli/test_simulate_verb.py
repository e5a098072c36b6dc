"""`planner simulate` on recordings as a person meets it: a table for each series, JSON, and calls that are wrong."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from planner.cli.simulate import command
from planner.errors import PlannerError
from planner.spot.generator import SpellLaw
from planner.spot.simulate import NAMES
from tests.spot.jobs import OLD, PUBLISHED, per_start
from tests.spot.recordings import PUBLIC, alternating, needs_public

LAW = SpellLaw(shape=0.6, scale_ticks=8)
JOB = ("--work", "8h", "--deadline", "12h", "--changeover", "12m")


@pytest.fixture
def files(tmp_path) -> list[str]:
    paths = []
    for name, seed in (("zone-a", 1), ("zone-b", 2)):
        path = tmp_path / f"{name}.json"
        data = [int(flag) for flag in alternating(LAW, LAW, 150, seed)[:1500]]
        path.write_text(json.dumps({"metadata": {"gap_seconds": 600}, "data": data}))
        paths.append(str(path))
    return paths


def run(*words: str, columns: int = 80) -> str:
    runner = CliRunner(env={"COLUMNS": str(columns)})
    return runner.invoke(command, list(words), catch_exceptions=False, standalone_mode=False).stdout


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_every_rule_of_every_series_is_shown_in_any_width(files, columns):
    shown = run("--traces", *files, *JOB, "--starts", "20", columns=columns)
    assert max(map(len, shown.splitlines())) <= columns
    text = " ".join(shown.split())
    assert "zone-a: 20 jobs of 8 h with 12 h until the deadline, 0.2 h changeover" in text
    assert "any of 2 zones" in text
    for name in (*NAMES, "own_multi_zone", "greedy_multi_zone", "omniscient_multi_zone"):
        assert name in text


def test_the_json_has_every_start_of_every_setting(files):
    document = json.loads(run("--traces", files[0], *JOB, "--deadline", "16h", "--starts", "7", "-f", "json"))
    assert [(one["series"], one["deadline_h"], one["changeover_h"], one["starts"]) for one in document["runs"]] == [
        ("zone-a", 12, 0.2, 7),
        ("zone-a", 16, 0.2, 7),
    ]
    for one in document["runs"]:
        assert list(one["policies"]) == list(NAMES)
        for found in one["policies"].values():
            assert len(found["per_start"]) == 7
            assert found["mean_cost_fraction"] == pytest.approx(sum(found["per_start"]) / 7, abs=1e-8)
            assert found["late"] == 0


def test_recordings_may_repeat_the_option_or_follow_it(files):
    words = (*JOB, "--starts", "3", "--policies", "own,greedy", "-f", "json")
    assert run("--traces", *files, *words) == run("--traces", files[0], "--traces", files[1], *words)


def test_starts_come_from_a_file(files, tmp_path):
    path = tmp_path / "starts.json"
    path.write_text('{"starts": [3, 700]}')
    document = json.loads(run("--traces", files[0], *JOB, "--starts", str(path), "--policies", "own", "-f", "json"))
    assert document["runs"][0]["start_ticks"] == [3, 700]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to simulate"),
        (("--policies", "best"), "'best' is no rule"),
        (("--work", "8"), "--work 8"),
        (("--work", "12h"), "do not fit into 12 hours"),
        (("--deadline", "1000h"), "fewer than the deadline"),
        (("--starts", "0"), "--starts 0: 1 to 100,000"),
        (("--starts", "none.json"), "no such file"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(files, words, message):
    traces = ("--traces", files[0]) if words else ()
    with pytest.raises(PlannerError, match=message):
        run(*traces, *JOB[:4], "--deadline", "12h", *words)


@pytest.mark.parametrize("text", ["{", "[]", '{"starts": [1.5]}', '{"starts": [-1]}', '{"start": [1]}'])
def test_a_file_of_starts_that_is_none_is_refused(files, tmp_path, text):
    path = tmp_path / "starts.json"
    path.write_text(text)
    with pytest.raises(PlannerError, match=r"--starts .*starts\.json"):
        run("--traces", files[0], *JOB, "--starts", str(path))


@needs_public
def test_the_published_costs_come_out_of_the_command():
    series = "us-west-2a_v100_1"
    trace, starts = PUBLIC / f"availability/1-node/{OLD}/{series}.json", PUBLIC / f"starts_{OLD}.json"
    names = ",".join(policy.name for policy in PUBLISHED)
    words = ("--work", "48h", "--deadline", "60h", "--changeover", "0.2h", "--policies", names, "-f", "json")
    (found,) = json.loads(run("--traces", str(trace), "--starts", str(starts), *words))["runs"]
    rows = per_start()[OLD, series]
    assert found["start_ticks"] == [int(row["start"]) for row in rows]
    for policy in PUBLISHED:
        expected = [float(row[policy.name]) for row in rows]
        assert found["policies"][policy.name]["per_start"] == pytest.approx(expected, abs=1e-6)


def test_the_timeline_shows_one_job_by_every_rule(files):
    picture = run("--traces", *files, *JOB, "--starts", "3", "-f", "svg")
    root = ElementTree.fromstring(picture)
    texts = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0].startswith("One job on zone-a, from tick ")
    for name in (*(name for name in NAMES if name != "omniscient"), "waiting", "spot capacity", "0 h"):
        assert name in texts
    described = next(root.iter("{http://www.w3.org/2000/svg}desc")).text or ""
    assert "own: done after" in described
    shapes = {node.get("class") for node in root.iter("{http://www.w3.org/2000/svg}rect")}
    assert shapes == {"waiting", "starting", "spot", "on-demand", "capacity"}


PLAN = "examples/small.yaml"


def test_a_plan_is_simulated_in_its_own_markets():
    text = " ".join(run(PLAN, "--starts", "40").split())
    assert "s3-stream/p4d.24xlarge/spot-fallback on markets of the plan: 40 runs" in text
    for rule in ("closed form of fallback", "fallback (the stack's)", "own (patient progress)", "greedy"):
        assert rule in text
    assert "The closed form, which compare uses, is" in text
    document = json.loads(run(PLAN, "--starts", "40", "-f", "json"))
    (series,) = document["runs"]
    for rule in (series["closed_form"], *series["policies"].values()):
        assert len(rule["usd_per_run"]) == len(rule["days_per_run"]) == 40
        assert rule["p10_usd"] <= rule["p50_usd"] <= rule["p90_usd"]
    assert run(PLAN, "--starts", "40", "-f", "json") == run(PLAN, "--starts", "40", "-f", "json")


def test_a_plan_is_simulated_on_recordings(tmp_path):
    path = tmp_path / "long.json"
    data = [int(flag) for flag in alternating(LAW, LAW, 400, 3)[:4000]]
    path.write_text(json.dumps({"metadata": {"gap_seconds": 600}, "data": data}))
    words = ("--traces", str(path), "--starts", "5")
    assert run(PLAN, *words) == run(*words[:2], PLAN, *words[2:])
    assert "on long: 5 runs" in " ".join(run(PLAN, *words).split())
    root = ElementTree.fromstring(run(PLAN, *words, "-f", "svg"))
    assert "fallback" in "".join(root.itertext())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--work", "8h"), "--work: PLAN says what the job is"),
        (("--generate",), "--generate: PLAN says what the job is"),
        (("--policies", "omniscient"), "only rules that somebody could follow"),
        (("--scenario", "best"), "is not on spot-fallback; name one that is: s3-stream"),
        (("--set", "run.deadline=5d"), "its limit leaves no time for spot: On-Demand alone takes 5.2 days"),
        (("--starts", "10001"), "up to 10,000"),
        (("other.yaml", "--traces", "x.json"), "one plan at a time"),
    ],
)
def test_a_wrong_call_of_a_plan_says_what_is_wrong(words, message):
    with pytest.raises(PlannerError, match=message):
        run(PLAN, *words)


def test_options_of_a_plan_need_one(files):
    with pytest.raises(PlannerError, match="apply to a plan"):
        run("--traces", files[0], "--scenario", "best")
