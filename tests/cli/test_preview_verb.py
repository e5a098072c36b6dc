"""The preview verb as a person or a script meets it: resources, dollars, picture, and what it says when it cannot."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from planner import extras
from planner.cli.preview import command as preview
from planner.errors import PlannerError, UsageProblem
from tests.builders import compared, plan_of

ROOT = Path(__file__).parents[2]
SMALL = str(ROOT / "examples" / "small.yaml")
FEW = ("--set", "purchase.options=[on-demand, spot]")
CONVERGED = "converged/p4d.24xlarge/on-demand"


def run(*words: object, plan: str = SMALL, width: int = 80) -> str:
    arguments = [plan, *map(str, words), *FEW]
    done = CliRunner().invoke(preview, arguments, catch_exceptions=False, env={"COLUMNS": str(width)})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_dollars_are_those_of_compare_line_by_line():
    graph = json.loads(run("--scenario", CONVERGED, "-f", "json"))
    bill = next(
        s for s in compared(plan_of(purchase={"options": ["on-demand", "spot"]})).scenarios if s.id == CONVERGED
    ).bill
    hourly = math.fsum(float(line.usd_per_hour) for line in bill if line.usd_per_hour is not None)
    assert math.fsum(entry["usd_per_hour"] for entry in graph["resources"]) == pytest.approx(hourly, rel=1e-9)
    assert {line for entry in graph["resources"] for line in entry["bill_lines"]} == {line.line for line in bill}


def test_ids_that_only_an_account_can_give_are_marked():
    stack = json.loads(run("--scenario", CONVERGED, "-f", "json", "--stack", "trial"))["stack"]
    assert stack["name"] == "trial"
    assert set(stack["placeholders"]) == {"fleet.ami", "control.ami", "zone_id", "guard.notify", "account"}


def test_the_table_fits_80_columns_and_names_every_resource():
    table = run("--scenario", CONVERGED, "--all")
    graph = json.loads(run("--scenario", CONVERGED, "-f", "json"))
    assert max(map(len, table.splitlines())) <= 80
    flat = " ".join(table.split())
    for entry in graph["resources"]:
        if entry["type"].startswith("aws:"):
            assert entry["name"] in flat or entry["name"].removeprefix(f"{entry['component']}-") in flat


@pytest.mark.parametrize("width", [40, 60])
def test_narrower_than_80_columns_it_is_records_that_have_everything(width):
    text = run("--scenario", CONVERGED, "--all", width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    said = " ".join(text.split())
    graph = json.loads(run("--scenario", CONVERGED, "-f", "json"))
    for entry in graph["resources"]:
        if entry["type"].startswith("aws:") and not entry["free"]:
            record = re.search(rf"{entry['name']} \$/hour ([^;]+);( component [^;]+;)? Lines of the bill (.*)", said)
            assert record, entry["name"]
            # within the last digit, since what is printed adds up to its component
            exact = entry["usd_per_hour"]
            assert abs(float(record[1].replace(",", "")) - exact) < 1e-4 if exact else record[1] == "by use"
            assert record[3].startswith(", ".join(entry["bill_lines"]))


def test_the_form_follows_the_file_s_ending(tmp_path):
    for ending, start in (("svg", "<svg"), ("json", "{"), ("txt", "Stack dev")):
        out = tmp_path / f"graph.{ending}"
        assert run("--scenario", "best", "-o", out) == ""
        assert out.read_text(encoding="utf-8").startswith(start)


def test_a_profile_changes_the_interfaces():
    def nics(profile: str) -> list[str]:
        graph = json.loads(run("--scenario", CONVERGED, "-f", "json", "--nic-profile", profile))
        template = next(entry for entry in graph["resources"] if entry["name"] == "fleet-template")
        return [nic["interfaceType"] for nic in template["inputs"]["networkInterfaces"]]

    assert nics("ip-saving") == ["interface", *["efa-only"] * 4]
    assert nics("bandwidth") == ["interface", "efa-only", *["efa-only", "interface"] * 3]
    assert nics("efa-every-card") == ["efa"] * 4


def test_the_picture_is_xml_with_a_name_and_its_words():
    picture = ElementTree.fromstring(run("--scenario", CONVERGED, "-f", "svg"))
    assert picture.get("role") == "img"
    assert picture.find("{*}title").text == "Stack dev on AWS"
    told = picture.find("{*}desc").text
    assert "GPU fleet: 4 x p4d.24xlarge" in told
    assert "Control: 3 x m7i.xlarge" in told


def test_an_unknown_scenario_is_a_usage_problem():
    with pytest.raises(UsageProblem, match="no scenario"):
        run("--scenario", "converged/p4d.24xlarge/barter")


def test_where_nothing_is_eligible_there_is_no_best_one():
    with pytest.raises(UsageProblem, match="no scenario is recommended; the lowest planned cost is"):
        run("--scenario", "best", "--set", "run.deadline=1d")


def test_what_cannot_stand_says_where_the_plan_says_so():
    with pytest.raises(PlannerError, match="zone"):
        run("--scenario", CONVERGED, "--set", "deploy.zone_id=euw1-az1")


def test_without_the_program_s_libraries_it_says_what_to_install(monkeypatch, tmp_path):
    for name in [name for name in sys.modules if name.split(".")[0] in ("infra", "pulumi", "pulumi_aws")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pulumi", None)
    with pytest.raises(UsageProblem, match="pulumi is not installed: run `make deploy`"):
        run("--scenario", CONVERGED)
    monkeypatch.setattr(extras, "_CHECKOUT", tmp_path)  # as where a wheel is installed
    with pytest.raises(UsageProblem, match=r"pip install 'gpu-fleet-planner\[deploy\]'"):
        run("--scenario", CONVERGED)
