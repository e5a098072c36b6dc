"""The verbs with the plan of a worker pool, as a user calls them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.examples import EVERY
from tests.typed import SMALL, planner

EXAMPLE = str(next(path for path in EVERY if path.stem == "worker-pool"))
FEW = ("--draws", "5")
HUNDRED = ("--set", "jobs.count=100")  # of the thousand jobs


def run(*words: str, stdin: str | None = None):
    return planner(*words, given=stdin)


def test_compare_answers_in_eighty_cells():
    found = run("compare", EXAMPLE, *FEW)
    assert found.returncode == 0
    assert "Recommended: #1 a diversified pool on spot with On-Demand fallback" in " ".join(
        found.stdout.split()
    )  # of five runs
    assert max(map(len, found.stdout.splitlines())) <= 80


def test_json_and_csv_say_the_same():
    document = json.loads(run("compare", EXAMPLE, *FEW, "-f", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(run("compare", EXAMPLE, *FEW, "-f", "csv").stdout)))
    for scenario in document["scenarios"]:
        mine = [row for row in rows if row["scenario"] == scenario["id"]]
        assert float(mine[0]["cost_p50"]) == scenario["cost_usd"]["p50"]
        total = sum(float(row["effective_cost"]) for row in mine)
        assert total == pytest.approx(scenario["cost_usd"]["mean"], rel=1e-6)
    assert document["answer"]["recommended"] == document["scenarios"][0]["id"]


@pytest.mark.parametrize("style", ["html", "md"])
def test_a_report_names_every_choice_and_is_the_same_twice(style, tmp_path):
    texts = []
    for name in ("a", "b"):
        out = tmp_path / f"{name}.{style}"
        assert run("report", EXAMPLE, *FEW, "-q", "-o", str(out)).returncode == 0
        texts.append(out.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert "salad-rtx4090" in texts[0]
    assert ("<script" in texts[0]) is False


def test_a_plan_cannot_write_markup_into_the_page():
    text = run("compare", EXAMPLE, *FEW, "-f", "html", "--set", "name=<script>alert(1)</script>").stdout
    assert "<script>" not in text


def test_simulate_shows_distributions_and_draws_an_interrupted_job(tmp_path):
    found = run("simulate", EXAMPLE, "--starts", "30")
    assert found.returncode == 0
    assert "lost per interruption" in found.stdout
    out = tmp_path / "t.svg"
    assert run("simulate", EXAMPLE, "--starts", "30", "-o", str(out)).returncode == 0
    picture = ElementTree.parse(out).getroot()
    shapes = [one.get("class") for one in picture.iter() if one.tag.endswith("rect")]
    assert {"work", "lost", "stall"} <= set(shapes)


def test_a_picture_without_an_interruption_says_so():
    calm = ("--scenario", "workers/salad-rtx4090/list", "--set", "workers[0].interruptions=null")
    text = run("simulate", EXAMPLE, "--starts", "1", "-f", "svg", *calm).stdout
    assert "no job was interrupted" in text


def test_a_plan_may_come_through_a_pipe():
    text = Path(EXAMPLE).read_text(encoding="utf-8")
    assert run("compare", "-", *FEW, stdin=text).returncode == 0
    assert run("simulate", "-", "--starts", "2", stdin=text).returncode == 0
    assert run("validate", "-", stdin=text).stdout == "ok  -  worker-pool\n"


def test_gates():
    assert run("compare", EXAMPLE, *FEW, "--max-cost", "400").returncode == 0
    assert run("compare", EXAMPLE, *FEW, "--max-cost", "100").returncode == 10
    assert run("compare", EXAMPLE, *FEW, "--max-days", "0.5").returncode == 10


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sensitivity", EXAMPLE, "--against", "1"), "planner compare"),
        (("sensitivity", EXAMPLE, "--draws", "0"), "1 to 2,000"),
        (("sensitivity", EXAMPLE, "--own"), "states the prices"),
        (("diff", EXAMPLE), "nothing to compare"),
        (("diff", EXAMPLE, SMALL), "no choice in common"),
        (("diff", SMALL, EXAMPLE), "no choice in common"),
        (("diff", EXAMPLE, "--set-b", "pool.max=80", "--draws", "3000"), "1 to 2,000"),
        (
            ("stack", EXAMPLE, *HUNDRED, "--scenario", "workers/salad-rtx4090/list", "--stack", "x"),
            "nodes of a price list",
        ),
        (("compare", EXAMPLE, *HUNDRED, "-f", "focus", "--scenario", "salad"), "no scenario 'salad'"),
        (("compare", EXAMPLE, "--scenario", "best"), "--scenario applies only to -f focus"),
        (("compare", EXAMPLE, "--draws", "3000"), "1 to 2,000"),
        (("simulate", EXAMPLE, "--policies", "all"), "apply to gangs"),
        (("simulate", EXAMPLE, *HUNDRED, "--scenario", "salad"), "no scenario 'salad'"),
        (("simulate", EXAMPLE, "--work", "3h"), "--set changes it"),
    ],
)
def test_what_a_pool_does_not_take_is_refused_in_words(words, said):
    found = run(*words)
    assert found.returncode == 2
    assert said in found.stderr


def test_the_json_keeps_to_its_schema():
    schema = json.loads(run("schema", "--of", "worker-pool").stdout)
    judge = jsonschema.Draft202012Validator(schema)
    judge.check_schema(schema)
    types = "workers=[{instance_type: p5.4xlarge}, {name: a, gpu: H100, usd_per_gpu_hour: 1, source: x}]"
    speeds = "jobs.seconds_per_step={H100: 1}"
    for more in ((), ("--set", types, "--set", speeds), ("--set", "workers[0].interruptions.mean_life=1s")):
        judge.validate(json.loads(run("compare", EXAMPLE, "--draws", "2", *more, "-f", "json").stdout))
    judge.validate(json.loads(run("simulate", EXAMPLE, "--starts", "2", "-f", "json").stdout))


def test_prices_of_years_ago_fail_under_strict_as_of_any_plan():
    late = ("--set", "start=2029-01-04", "--draws", "2")
    assert run("compare", EXAMPLE, *late).returncode == 0
    found = run("compare", EXAMPLE, *late, "--strict")
    assert (found.returncode, "prices are out of date" in found.stderr) == (11, True)
    asked = run("compare", EXAMPLE, "--as-of", "2029-01-04", "--draws", "2", "--strict")
    assert (asked.returncode, "817 days old on 2029-01-04" in asked.stdout) == (11, True)
    warned = run("compare", EXAMPLE, *late, "-f", "json")
    of_training = run("compare", SMALL, "--set", "start=2029-01-04", "--draws", "0", "-f", "json")
    for found in (warned, of_training):
        assert "prices out of date: " in found.stderr
        assert "price of 2024-07-01 is 1648 days old" in " ".join(found.stderr.split())


def test_the_schema_of_its_plan():
    schema = json.loads(run("schema", "--of", "worker-pool-plan").stdout)
    assert "jobs" in schema["required"]


def test_optimize_finds_the_size():
    cheap, fast = (run("optimize", EXAMPLE, *HUNDRED, "--minimize", what) for what in ("cost", "time"))
    assert (cheap.returncode, fast.returncode) == (0, 0)
    # one node for each job is the fastest, and costs more
    assert "Recommended: pool.max=100 " in fast.stdout
    assert "Recommended: pool.max=100 " not in cheap.stdout
    assert run("optimize", EXAMPLE, *HUNDRED, "--deadline", "1h").returncode == 10


def test_optimize_recommends_what_a_stack_can_be_of():
    """As compare does: a price list is beside the recommendation, whatever size of it is cheaper."""
    found = json.loads(run("optimize", EXAMPLE, *HUNDRED, "-f", "json").stdout)
    answer = found["answer"]
    assert answer["best"]["deployable"]
    assert answer["price_list"]["id"] == "workers/salad-rtx4090/list"
    assert answer["price_list"]["cost_usd"]["p50"] < answer["best"]["cost_usd"]["p50"]
    assert answer["set"] == [f"pool.max={answer['best']['nodes']}"]
    met = [one for one in found["sizes"] if one["eligible"] and one["deployable"]]
    least = min(met, key=lambda one: one["cost_usd"]["p50"] + one["effort_usd"])
    assert least["nodes"] == answer["best"]["nodes"]


def test_best_is_an_error_where_nothing_meets_the_limits():
    late = (*HUNDRED, "--set", "pool.max=1")
    for words in (("explain", EXAMPLE, "best"), ("preview", EXAMPLE, "--scenario", "best")):
        found = run(*words, *late)
        assert (found.returncode, "no choice meets the limits" in found.stderr) == (2, True)
    assert run("simulate", EXAMPLE, *late, "--starts", "20").returncode == 0


def test_kinds_of_nodes_with_the_same_law_share_a_line():
    worker = "{instance_type: %s, purchase: [on-demand]}"
    both = f"workers=[{worker % 'p5.48xlarge'}, {worker % 'p4d.24xlarge'}]"
    speeds = "jobs.seconds_per_step={H100: 1, A100: 2}"
    said = " ".join(run("compare", EXAMPLE, *FEW, "-v", "--set", both, "--set", speeds).stdout.split())
    assert said.count("nodes fail as often as those of large clusters") == 1


class TestExplain:
    def test_every_number_can_be_explained_in_words_and_as_json(self):
        listed = json.loads(run("explain", EXAMPLE, "best", *FEW, "-f", "json").stdout)["numbers"]
        assert {"fleet.compute", "days", "cost_usd", "loss_per_interruption_minutes"} <= set(listed)
        for number in listed[:6]:
            one = json.loads(run("explain", EXAMPLE, "best", number, *FEW, "-f", "json").stdout)
            assert one["id"] == number
            assert one["how"]

    @pytest.mark.parametrize(
        ("scenario", "number"),
        [
            ("best", "queue_wait_hours"),
            ("best", "loss_per_interruption_minutes"),
            ("g5.xlarge/spot", "job_node_hours"),
            ("best", "usd_per_step"),
            ("best", "fleet.compute"),
        ],
    )
    def test_its_command_gives_the_closed_form(self, scenario, number):
        one = json.loads(run("explain", EXAMPLE, scenario, number, *FEW, "-f", "json").stdout)
        (command,) = one["commands"]
        found = json.loads(run(*command.split()[1:], "-f", "json").stdout)["result"]
        per_minute = 60 if one["unit"] == "min" else 1
        expected = one["value"]["mean"] if one["closed_form"] is None else one["closed_form"]
        assert found / per_minute == pytest.approx(expected, rel=1e-6)

    def test_the_closed_form_of_a_jobs_hours_is_within_a_percent_of_the_simulation(self):
        one = json.loads(run("explain", EXAMPLE, "g5.xlarge/on-demand", "job_node_hours", *FEW, "-f", "json").stdout)
        assert one["value"]["mean"] == pytest.approx(one["closed_form"], rel=0.01)

    def test_a_number_that_is_not_there(self):
        found = run("explain", EXAMPLE, "best", "dayz", *FEW)
        assert (found.returncode, "did you mean days" in found.stderr) == (2, True)


class TestSensitivity:
    def test_in_eighty_cells_it_says_what_the_cost_depends_on_and_whether_the_choice_changes(self):
        found = run("sensitivity", EXAMPLE, *FEW, "--top", "3")
        assert found.returncode == 0, found.stderr
        assert max(map(len, found.stdout.splitlines())) <= 80
        text = " ".join(found.stdout.split())
        assert "pool.max 20 80" in text
        assert "with a smaller effect (--top 0 shows all)" in text
        assert (
            "The recommendation, as planned a diversified pool on spot with On-Demand fallback, changes: pool.max at 20"
            in text
        )

    def test_its_json_keeps_to_the_schema_of_the_verb(self):
        schema = json.loads(run("schema", "--of", "sensitivity").stdout)
        given = run("sensitivity", EXAMPLE, "--draws", "2", "--scenario", "g5.xlarge/spot", "-f", "json")
        document = json.loads(given.stdout)
        jsonschema.Draft202012Validator(schema).validate(document)
        assert (document["draws"], document["scenario"]) == (2, "workers/g5.xlarge/spot")
        assert {"pool.max", "nodes.usd_per_hour", "nodes.mean_life_hours"} <= {one["key"] for one in document["swings"]}

    def test_without_a_recommendation_it_needs_a_name(self):
        late = ("sensitivity", EXAMPLE, "--draws", "1", "--set", "run.deadline=1h")
        found = run(*late)
        assert (found.returncode, "no choice meets the limits" in found.stderr) == (10, True)
        named = run(*late, "--scenario", "g5.xlarge/on-demand")
        assert "same at every end: no choice meets the limits" in " ".join(named.stdout.split())

    def test_what_has_no_price_cannot_be_varied(self):
        bare = ("--set", "workers[1].spot_usd_per_hour=null", "--scenario", "g5.xlarge/spot")
        found = run("sensitivity", EXAMPLE, "--draws", "1", *bare)
        assert (found.returncode, "g5.xlarge/spot cannot be varied: no price for" in found.stderr) == (2, True)


class TestDiff:
    def test_by_quantity_and_by_price(self):
        # one price of three is raised by a tenth of the whole: 0.324 to 0.3564 USD an hour, and the hours stay
        raised = "workers[0].usd_per_gpu_hour=0.3324"
        words = ("diff", EXAMPLE, *FEW, "--set-b", raised, "--scenario", "workers/salad-rtx4090/list")
        found = run(*words, "-f", "json", "--exit-code")
        assert found.returncode == 14
        document = json.loads(found.stdout)
        bill = next(one for one in document["bills"] if one["after"] == "workers/salad-rtx4090/list")
        line = next(one for one in bill["lines"] if one["line"] == "fleet.compute")
        assert line["unit_price_before_usd"] == pytest.approx(0.324)
        assert line["unit_price_after_usd"] == pytest.approx(0.324 * 1.1)
        assert line["quantity_effect_usd"] == 0
        # 1,000 jobs of 1,400 steps of 2.3142857 s are 900 node-hours
        assert line["price_effect_usd"] == pytest.approx(900 * 0.0324, rel=1e-6)
        cost = next(one for one in document["scenarios"] if one["id"] == bill["after"])["cost_usd"]
        assert cost["after"] / cost["before"] == pytest.approx(1.1)
        assert bill["known_change_usd"] == pytest.approx(cost["change"], abs=1e-4)
        # the others are not touched, since both sides met the same random numbers
        rest = [one for one in document["scenarios"] if one["id"] != bill["after"]]
        assert [one["differs"] for one in rest] == [False] * 5
        assert document["plan_keys"] == [{"key": "workers[0].usd_per_gpu_hour", "before": 0.3, "after": 0.3324}]
        schema = json.loads(run("schema", "--of", "diff").stdout)
        jsonschema.Draft202012Validator(schema).validate(document)

    def test_a_price_that_goes_missing_is_no_saving(self):
        bare = ("--set-b", "workers[1].spot_usd_per_hour=null", "-f", "json")
        document = json.loads(run("diff", EXAMPLE, *FEW, *bare).stdout)
        spot = next(one for one in document["scenarios"] if one["id"] == "workers/g5.xlarge/spot")
        assert spot["unpriced_after"][0].startswith("fleet.compute: no price for g5.xlarge")
        assert (spot["cost_usd"]["after"], spot["cost_usd"]["change"]) == (None, None)

    def test_two_files_that_are_the_same_do_not_differ(self, tmp_path):
        other = tmp_path / "other.yaml"
        other.write_text(Path(EXAMPLE).read_text(encoding="utf-8"), encoding="utf-8")
        found = run("diff", EXAMPLE, str(other), *FEW, "--exit-code")
        assert (found.returncode, "No difference: $0" in found.stdout) == (0, True)

    @pytest.mark.parametrize("style", ["table", "md"])
    def test_in_words(self, style):
        found = run("diff", EXAMPLE, *FEW, "--set-b", "pool.max=80", "-f", style)
        assert found.returncode == 0
        assert "pool.max: 40 -> 80" in found.stdout.replace("`", "").replace("\\", "").replace("&gt;", ">")

    def test_a_saved_result_of_a_pool_is_refused_with_what_to_do(self, tmp_path):
        saved = tmp_path / "a.json"
        assert run("compare", EXAMPLE, *FEW, "-o", str(saved)).returncode == 0
        found = run("diff", str(saved), EXAMPLE)
        assert (found.returncode, "name its plan instead" in found.stderr) == (2, True)
