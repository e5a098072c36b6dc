"""The explain verb as a person or a script meets it; every line of an example checked by the command it prints."""

from __future__ import annotations

import json
import shlex
import subprocess

import pytest
from click.testing import CliRunner

from planner.cli.main import command as verbs
from planner.estimate.derivations import known_of
from planner.models.equation import numbered
from planner.report.wording.origins import command as by_hand
from tests.builders import compared, plan_of
from tests.typed import FEW, PLANNER, ROOT, SMALL, planner


def run(*words: object) -> str:
    done = CliRunner().invoke(
        verbs, ["explain", SMALL, *map(str, words), *FEW, "--draws", "50"], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_printed_command_gives_every_line_again():
    """Lines of people, blocks, commitments and classes of S3 among them."""
    plan = plan_of(
        data={"kept_in_s3": "9TB", "kept_class": "INTELLIGENT_TIERING", "ingest": {"source": "upload"}},
        purchase={"options": ["on-demand", "spot", "capacity-block", "ri-1y-standard-no-upfront"], "reuse_value": 0.5},
        storage={"retention": "40d", "s3_gateway_endpoint": False},
        people={"engineers": 2, "experiments": True, "preprocessing": {"gpu_hours": 30}},
    )
    checked = 0
    for scenario in compared(plan).scenarios:
        known = known_of(scenario)
        for line in scenario.bill:
            is_usd = numbered(line.equation).result_unit == "USD"
            entry = known[line.line if is_usd else f"{line.line}.pricing_quantity"]
            words = shlex.split(by_hand(entry))
            assert words[:2] == ["planner", "calc"]
            done = CliRunner().invoke(verbs, [*words[1:], "-f", "json"], catch_exceptions=False)
            assert done.exit_code == 0, (line.line, done.output)
            assert json.loads(done.output)["result"] == pytest.approx(entry.value, rel=1e-8), line.line
            checked += 1
    assert checked > 200


def test_movers_are_what_compare_gives_with_the_assumption_set():
    found = json.loads(run("best", "cost_usd", "-f", "json"))
    mover = next(entry for entry in found["movers"] if entry["set"])
    for end in ("low", "high"):
        done = planner("compare", SMALL, *FEW, "--draws", 0, "-f", "json", "--set", f"{mover['set']}={mover[end]!r}")
        there = next(s for s in json.loads(done.stdout)["scenarios"] if s["id"] == found["scenario"])
        assert there["cost_usd"]["plan"] == pytest.approx(mover[f"at_{end}"], rel=1e-9)


@pytest.mark.parametrize("width", [40, 60])
def test_narrower_than_80_columns_movers_are_records_that_have_everything(width):
    words = ["explain", SMALL, "best", "cost_usd", *FEW, "--draws", "50", "--all"]
    done = CliRunner().invoke(verbs, words, catch_exceptions=False, env={"COLUMNS": str(width)})
    assert max(map(len, done.stdout.splitlines())) <= width
    said = " ".join(done.stdout.split())
    wide = CliRunner().invoke(verbs, words, catch_exceptions=False, env={"COLUMNS": "160"}).stdout.splitlines()
    start = next(number for number, line in enumerate(wide) if line.startswith("Assumption"))
    titles = [title.strip() for title in wide[start].split("  ") if title.strip()]
    assert titles == ["Assumption", "Low", "High", "Unit", "At low", "At high"]
    for line in wide[start + 2 : wide.index("", start)]:
        cells = [cell.strip() for cell in line.split("  ") if cell.strip()]
        named = titles if len(cells) == len(titles) else [title for title in titles if title != "Unit"]
        facts = "; ".join(f"{title} {cell}" for title, cell in zip(named[1:], cells[1:], strict=True))
        assert f"{cells[0]} {facts}" in said


def test_the_widest_mover_comes_first():
    found = json.loads(run(1, "days", "-f", "json"))
    swings = [max(ends) - min(ends) for ends in
              ((m["at_low"], m["at_high"], found["value"]) for m in found["movers"])]  # fmt: skip
    assert swings == sorted(swings, reverse=True)
    assert all(swing > 0 for swing in swings)


def test_a_scenario_by_rank_by_id_and_as_best():
    first = run("best", "days")
    assert first == run(1, "days") == run("#1", "days") == run("s3-stream/p4d.24xlarge/on-demand", "days")


def test_a_key_of_the_plan_has_its_line_its_override_or_its_default():
    text = run("best", "fleet.compute", "--depth", 0)
    # a long path is broken over lines
    assert "".join(f"plan, fleet.nodes ({SMALL}:10)".split()) in "".join(text.split())
    assert "plan, fleet.spares (default)" in " ".join(text.split())
    changed = " ".join(run("best", "fleet.compute", "--set", "fleet.nodes=5", "--depth", 0).split())
    assert "plan, fleet.nodes (--set fleet.nodes)" in changed


def test_an_id_of_the_document_is_an_id_here():
    for id in ("cost_usd.plan", "fleet.compute.effective_cost", "fleet.compute.inputs.nodes", "cash.0.usd", "cash.0"):
        assert json.loads(run("best", id, "-f", "json"))["value"] is not None


def test_a_path_of_the_document_is_an_id_here():
    document = json.loads(planner("compare", SMALL, *FEW, "--draws", 50, "-f", "json").stdout)
    line = document["scenarios"][0]["bill"][1]
    for path in ("bill.1.pricing_quantity", "bill[1].pricing_quantity"):
        told = json.loads(run("best", path, "-f", "json"))
        assert told["id"] == f"{line['line']}.pricing_quantity"
        assert told["value"] == pytest.approx(line["pricing_quantity"])
    assert json.loads(run("best", "bill.1", "-f", "json"))["id"] == line["line"]
    name, value = next((n, v) for n, v in line["inputs"].items() if isinstance(v, float))
    assert json.loads(run("best", f"bill.1.inputs.{name}", "-f", "json"))["value"] == pytest.approx(value)


def test_an_assumption_shows_its_effect_on_the_cost():
    told = json.loads(run("best", "goodput.restart_minutes", "-f", "json"))
    cost = json.loads(run("best", "cost_usd", "-f", "json"))
    assert (told["value"], told["unit"], told["moved"]) == (10, "min", "cost_usd")
    assert told["movers"] == [entry for entry in cost["movers"] if entry["key"] == "goodput.restart_minutes"]
    text = " ".join(run("best", "goodput.restart_minutes").split())
    assert "Its effect on cost_usd" in text
    assert "assumption goodput.restart_minutes, 5 to 20" in text


def test_every_key_of_the_table_of_movers_is_an_id():
    name = "s3-stream/p4d.24xlarge/spot"
    keys = [entry["key"] for entry in json.loads(run(name, "cost_usd", "-f", "json"))["movers"]]
    assert "spot.price" in keys
    for key in keys:
        assert json.loads(run(name, key, "-f", "json"))["movers"][0]["key"] == key


def test_a_line_of_other_scenarios_says_of_which():
    done = planner("explain", SMALL, "s3-stream/p4d.24xlarge/spot", "pool.control-nodes", *FEW, "--draws", 0)
    assert (done.returncode, done.stdout) == (2, "")
    again = done.stderr.partition("`")[2].partition("`")[0]
    _, _, plan, rank, id = shlex.split(again)
    assert (plan, id) == (SMALL, "pool.control-nodes")
    told = planner("explain", plan, rank, id, *FEW, "--draws", 0)
    assert told.returncode == 0
    assert "pool.control-nodes = " in told.stdout


def test_a_product_ends_with_the_multiplication_that_is_left():
    """Its quantity has an equation; what is left is one multiplication, which is printed."""
    text = " ".join(planner("explain", SMALL, "best", "network.flow-logs", *FEW, "--draws", 0).stdout.split())
    told = json.loads(planner("explain", SMALL, "best", "network.flow-logs", *FEW, "--draws", 0, "-f", "json").stdout)
    quantity, each = (entry["value"] for entry in told["inputs"])
    assert quantity * each == pytest.approx(told["value"], rel=1e-9)
    assert f"times {each:g} USD/GB = {told['value']:.9g} USD" in text


@pytest.mark.parametrize("number", ["fleet.compute", "s3.read_gb_per_s_per_node"])
def test_a_number_without_a_scenario_is_the_recommended_ones(number):
    assert run(number) == run("best", number)
    near = planner("explain", SMALL, f"{number}x", *FEW, "--draws", 0)
    assert (near.returncode, near.stdout) == (2, "")
    assert f"did you mean {number}?" in near.stderr


@pytest.mark.parametrize("words", [(), ("best",), ("best", "cost_usd"), ("best", "storage.s3.standard")])
def test_it_fits_a_screen_unless_all_is_asked_for(words):
    """40 lines of 80 cells; a source with a long name may take a few more."""
    short, whole = (run(*words, "--draws", 50, *more).splitlines() for more in ((), ("--all", "--depth", 0)))
    assert len(short) <= 42
    assert len(whole) >= len(short)
    assert not any("--all" in line for line in whole)
    left = sum(int(line.split()[0]) for line in short if line.endswith(": --all"))
    if words == ("best",):
        assert len(whole) == len(short) + left - sum(line.endswith(": --all") for line in short)


def test_a_line_without_a_price_is_explained_too():
    plan, id = str(ROOT / "examples" / "stability-converged.yaml"), "sp-3y-compute-no-upfront"
    only = ("--set", "storage.layouts=[s3-stream]", "--set", f"purchase.options=[{id}]", "--draws", 0)
    done = planner("explain", plan, f"s3-stream/p4d.24xlarge/{id}", "fleet.compute", *only)
    assert done.returncode == 0
    assert "no price for p4d.24xlarge" in done.stdout
    assert "lower bound" in done.stdout
    told = json.loads(planner("explain", plan, 1, "fleet.compute", *only, "-f", "json").stdout)
    assert told["value"] is None
    assert told["unpriced"]["nearest"]


def test_what_cannot_be_planned_says_why_not():
    blocks = ("--set", "fleet.nodes=300", "--set", "purchase.options=[capacity-block]", "--draws", 0)
    done = planner("explain", SMALL, 1, "days", *FEW, *blocks)
    assert done.returncode == 0
    assert "Not feasible: Capacity Blocks are limited to 256 instances" in " ".join(done.stdout.split())


def test_a_scenario_beyond_a_constraint_has_its_numbers_all_the_same():
    text = " ".join(run(1, "cost_usd", "--set", "constraints.max_cost_usd=10").split())
    assert "Not eligible: " in text
    assert "costs at most $10.00 in 0% of the outcomes" in text
    assert "cost_usd = 5," in text
    assert "fleet.compute = 4,9" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("best", "fleet.computer"), "did you mean fleet.compute?"),
        (("best", "zzz"), "--all` lists all"),
        (("best", "bill.99.list_cost"), "its bill is bill.0 to bill.15"),
        (("best", "goodput.restart_minute"), "did you mean goodput.restart_minutes?"),
        (("s3-stream/p4d.24xlarge/spot", "converged.read_efficiency_fraction"), "does not depend on the assumption"),
        (("s3-streem/p4d.24xlarge/spot",), "did you mean s3-stream/p4d.24xlarge/spot?"),
        (("99",), "no scenario '99'"),
    ],
)
def test_wrong_words_say_what_to_type(words, said):
    done = planner("explain", SMALL, *words, *FEW, "--draws", 0)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_reader_that_goes_away_is_no_error():
    program = [
        PLANNER,
        "explain",
        SMALL,
        "best",
        "fleet.compute",
        *FEW,
        "-f",
        "json",
    ]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stderr
    process.stdout.read(1)
    process.stdout.close()
    assert process.wait(timeout=60) in (0, -13)
    with process.stderr as errors:
        assert b"Traceback" not in errors.read()


ON_SPOT = "s3-stream/p4d.24xlarge/spot-fallback"
SPOT = (*FEW[2:], "--set", f"purchase.options=[on-demand,{ON_SPOT.rsplit('/', 1)[1]}]", "--seed", "3")


def spot(*words: str) -> str:
    done = CliRunner().invoke(verbs, ["explain", SMALL, *words, *SPOT], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize(("number", "unit"), [("cost_usd", "usd"), ("days.p50", "days")])
def test_the_closed_form_of_spot_stands_beside_its_simulation(number: str, unit: str) -> None:
    """Within 5 % of each other; the command that it prints gives the same runs."""
    found = json.loads(spot(ON_SPOT, number, "-f", "json"))["simulated"]
    closed, rule = found["closed_form"], found["rule"]
    assert found["runs"] == 1000
    assert closed["mean"] == pytest.approx(rule["mean"], rel=0.05)
    assert closed["p90"] == pytest.approx(rule["p90"], rel=0.05)
    text = spot(ON_SPOT, number)
    assert ("Mean $" in text, "Mean days" in text) == (unit == "usd", unit == "days")
    shown = shlex.split(text[text.index("planner simulate") :].split("\n\n")[0].replace("\\\n", ""))
    done = CliRunner().invoke(verbs, [*shown[1:], "-f", "json"], catch_exceptions=False)
    again = json.loads(done.output)["runs"][0]["policies"]["fallback"]
    assert again[f"p90_{unit}"] == pytest.approx(rule["p90"], rel=1e-4)


def test_nothing_is_simulated_beside_other_numbers() -> None:
    for scenario, number in ((ON_SPOT, "run.hours"), (ON_SPOT.replace("spot-fallback", "on-demand"), "cost_usd")):
        assert json.loads(spot(scenario, number, "-f", "json"))["simulated"] is None
