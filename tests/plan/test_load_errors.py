"""Problems of plan files: their place, message and remedy, all reported at once."""

from __future__ import annotations

import json
import os

import pytest
import yaml

from planner.errors import PlanProblems
from planner.plan import textfile, yamlfile
from planner.plan.load import load_plan, load_text
from tests.plan.plans import FULL, SMALL, load, only, place, problems, with_line

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{c}: &{c} [{','.join('*' + p for _ in range(9))}]\n" for p, c in zip("abcdefg", "bcdefgh", strict=True)
)

# (name, text, place, part of the message): the file is refused before its keys are checked
UNREADABLE = [
    ("empty", "", "p.yaml:None:None", "empty"),
    ("comments only", "# nothing\n\n", "p.yaml:None:None", "empty"),
    ("list", "- a\n", "p.yaml:1:1", "not a list"),
    ("one value", "hello\n", "p.yaml:1:1", "not a single value"),
    ("two documents", SMALL + "---\na: 1\n", "p.yaml:7:1", "a second document"),
    ("tab", "run:\n\tkind: training\n", "p.yaml:2:1", "indented with a tab"),
    ("unclosed list", "name: [a\nb: c\n", "p.yaml:2:2", "that began on line 1"),
    ("unclosed quote", 'name: "abc\n', "p.yaml:2:1", "that began on line 1"),
    ("colon in a value", "name: a: b\n", "p.yaml:1:8", "mapping values are not allowed"),
    ("at sign", "name: @x\n", "p.yaml:1:7", "cannot begin with @"),
    ("NUL", b"a\x00b", "p.yaml:None:None", "binary"),
    ("random bytes", bytes(range(256)), "p.yaml:None:None", "binary"),
    ("UTF-16", "name: x".encode("utf-16"), "p.yaml:None:None", "UTF-16"),
    ("Latin-1", b"# ok\nname: caf\xe9\n", "p.yaml:2:10", "0xe9 is not UTF-8"),
    ("bell", "name: a\x07b\n", "p.yaml:1:8", "U+0007"),
    ("escape code", 'name: "\\e[31mred"\n', "p.yaml:1:7", "U+001B"),
    ("line separator", 'name: "a\u2028b"\n', "p.yaml:1:9", "U+2028"),
    ("alias bomb", BOMB, "p.yaml:5:14", "aliases expanded"),
    ("cycle", "a: &a\n  b: *a\n", "p.yaml:2:6", "refers to a value that contains it"),
    ("unknown alias", "a: *b\n", "p.yaml:1:4", "*b is not defined"),
    ("merge key", "a: &a {b: 1}\nc:\n  <<: *a\n", "p.yaml:3:3", "merge keys"),
    ("python tag", "name: !!python/object/apply:os.system [ls]\n", "p.yaml:1:7", "is not supported"),
    ("own tag", "name: !env HOME\n", "p.yaml:1:7", "'!env' is not supported"),
    ("binary tag", "name: !!binary aGk=\n", "p.yaml:1:7", "is not supported"),
    ("deep list", "[" * 5000, "p.yaml:1:41", "nested more than 40"),
    ("deep mapping", "".join(" " * i + "a:\n" for i in range(300)), "p.yaml:41:41", "nested more than 40"),
    ("long value", "name: " + "x" * 30_000, "p.yaml:1:7", "30,000 characters"),
    ("many values", "a: [" + "1," * 30_000 + "]", "p.yaml:1:40003", "more than 20,000 values"),
    ("list as key", "? [a]\n: b\n", "p.yaml:1:3", "a key must be text"),
    ("template", "{{ name }}: x\n", "p.yaml:1:1", "a key must be text"),
    (
        "saved",
        b'{\n "schema_version": "1",' + b" " * 2_000_000,
        "p.yaml:None:None",
        "JSON output of planner, not a plan",
    ),
    ("too large in bytes", "\u00e9".encode() * 500_001, "p.yaml:None:None", "larger than 1 MB"),
    ("too large", b"a" * 1_000_001, "p.yaml:None:None", "larger than 1 MB"),
]


@pytest.mark.parametrize(
    ("text", "where", "expected"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE]
)
def test_unreadable(text, where, expected):
    problem = only(text)
    assert place(problem) == where
    assert expected in problem.message
    assert problem.remedy


@pytest.mark.parametrize(
    ("text", "where"),
    [row[1:3] for row in UNREADABLE if row[0] not in ("escape code", "many values")],
)
def test_the_pure_python_parser_reports_the_same_lines(text, where, monkeypatch):
    monkeypatch.setattr(yamlfile, "_Loader", yaml.SafeLoader)
    line = where.split(":")[1]
    assert place(only(text)).split(":")[1] in (line, str(int(line) - 1) if line.isdigit() else line)


# (old text in SMALL, its replacement, place, message, remedy)
WRONG = [
    ("name: small", "name: 12", "2:1", "name must be text; got 12", 'in quotes: "12"'),
    ("name: small", "name: true", "2:1", "name must be text; got true", 'in quotes: "true"'),
    ("name: small", "name: ''", "2:1", "name is empty", ""),
    ("name: small", "name:", "2:1", "name must be text; got nothing", "write its value"),
    ("name: small", "nmae: small", "1:1", "name is missing", "name: my-run"),
    ("name: small", "name: x\nname: y", "3:1", "written twice: first on line 2", "keep one"),
    ("name: small", "name: x\nregoin: y", "3:1", "unknown key 'regoin'", "did you mean region?"),
    ("name: small", "name: x\nnodes: 4", "3:1", "unknown key 'nodes'", "belongs in fleet"),
    ("name: small", "name: x\nzzz: 4", "3:1", "unknown key 'zzz'", "valid keys: apiVersion, name"),
    ("name: small", "name: x\nregion: Virginia", "3:1", "not a region, like us-east-1; got 'Virginia'", "known: "),
    *(
        ("name: small", f"name: x\nregion: {near}", "3:1", f"got '{near}'", f"did you mean {meant}?")
        for near, meant in (
            ("us-east1", "us-east-1"),
            ("useast1", "us-east-1"),
            ("us_east_1", "us-east-1"),
            ("us-east-1-atl-2a", "us-east-1"),
            ("US-EAST-1", "us-east-1"),
            ("us-east-1a", "us-east-1"),
            ("eu-west1", "eu-west-1"),
            ("ap-southeast2", "ap-southeast-2"),
        )
    ),
    ("name: small", "name: x\nstart: 2026-13-01", "3:1", "no such day", "2026-11-21"),
    ("name: small", "name: x\nstart: 1999-01-01", "3:1", "outside 2015 to 2100", "year"),
    ("name: small", "name: x\nprices: 2101-01-01", "3:1", "outside 2015 to 2100", "year"),
    ("name: small", "name: x\npurchase:", "3:1", "purchase must be a section of key: value; got nothing", "remove"),
    ("name: small", "name: x\nstorage: [converged]", "3:1", "storage must be a section", "layouts"),
    ("planner/v1", "planner/v2", "1:1", "apiVersion must be planner/v1; got 'planner/v2'", ""),
    ("planner/v1", "1", "1:1", "apiVersion must be planner/v1; got 1", ""),
    ("gpu_hours: 4000", "gpu_hours: -5", "4:10", "must be greater than 0; got -5", "useful GPU-hours"),
    ("gpu_hours: 4000", "gpu_hours: 0", "4:10", "must be greater than 0; got 0", ""),
    ("gpu_hours: 4000", "gpu_hours: .inf", "4:10", "must be a finite number; got inf", ""),
    ("gpu_hours: 4000", "gpu_hours: .nan", "4:10", "must be a finite number; got nan", ""),
    ("gpu_hours: 4000", "gpu_hours: 1e308", "4:10", "must be at most 1e+30; got 1e+308", ""),
    ("gpu_hours: 4000", "gpu_hours: 1e999", "4:10", "must be a finite number; got inf", ""),
    ("gpu_hours: 4000", "gpu_hours: " + "9" * 9000, "4:10", "must be a number; got '999999", ""),
    ("gpu_hours: 4000", "gpu_hours: " + "9" * 390, "4:10", "got 99999", ""),
    ("gpu_hours: 4000", "gpu_hours: '4000'", "4:10", "must be a number; got '4000'", "without quotes"),
    ("gpu_hours: 4000", "gpu_hours: 1:30", "4:10", "must be a number; got '1:30'", "base 60"),
    ("gpu_hours: 4000", "gpu_hours: 0x1F", "4:10", "must be a number; got '0x1F'", "decimal digits"),
    ("gpu_hours: 4000", "gpu_hours: 0400", "4:10", "must be a number; got '0400'", "write 400"),
    ("gpu_hours: 4000", "gpu_hours: 4k", "4:10", "must be a number; got '4k'", "2.5e9"),
    ("gpu_hours: 4000", "gpu_hours: 4_0", "4:10", "must be a number; got '4_0'", "write 40"),
    ("gpu_hours: 4000", "gpu_hours: yes", "4:10", "must be a number; got 'yes'", ""),
    ("gpu_hours: 4000", "gpu_hours: true", "4:10", "must be a number; got true", ""),
    ("gpu_hours: 4000", "gpu_hours: [4000]", "4:10", "must be a number; got a list", ""),
    ("{gpu_hours: 4000}", "4000", "4:3", "run.work must be a section of key: value; got 4000", "samples"),
    ("4TB", "4", "5:8", "a size needs a unit; got 4", "as in 4GB (decimal) or 4GiB (binary)"),
    ("4TB", "4TBs", "5:8", "not a size; got '4TBs'", "write 2.2PB (decimal)"),
    ("4TB", "-4TB", "5:8", "not a size; got '-4TB'", ""),
    ("4TB", "0TB", "5:8", "greater than zero; got '0TB'", ""),
    ("hot_dataset: 4TB", "hot_dataset: 4TB, shard: 4h", "5:26", "data.shard: not a size", "600GiB"),
    ("hot_dataset: 4TB", "hot_dataset: 4TB, hot_dataset_bytes: 4TB", "5:26", "unknown key", "hot_dataset?"),
    ("hot_dataset: 4TB", "hot_dataset: 4TB, order: random", "5:26", "one of shuffled, sequential; got 'random'", ""),
    ("hot_dataset: 4TB", "hot_dataset: 4TB, order: shufled", "5:26", "got 'shufled'", "did you mean shuffled?"),
    ("hot_dataset: 4TB", "hot_dataset: 4TB, checkpoints_kept: 0", "5:26", "got 0", "write 3"),
    ("[p4d.24xlarge]", "p4d.24xlarge", "6:9", "must be a list; got 'p4d.24xlarge'", "write [p4d.24xlarge]"),
    ("[p4d.24xlarge]", "[]", "6:9", "fleet.instance_types is empty", "at least one"),
    (
        "[p4d.24xlarge]",
        "[p4d]",
        "6:26",
        "not an instance type, like p4d.24xlarge; got 'p4d'",
        "did you mean p4d.24xlarge?",
    ),
    ("[p4d.24xlarge]", "[P5]", "6:26", "got 'P5'", "did you mean p5.48xlarge or p5.4xlarge?"),
    ("[p4d.24xlarge]", "[H100]", "6:26", "got 'H100'", "did you mean p5.48xlarge or p5.4xlarge?"),
    ("[p4d.24xlarge]", "[p6]", "6:26", "got 'p6'", "did you mean p6-b200.48xlarge or p6-b300.48xlarge?"),
    ("[p4d.24xlarge]", "[P4D.24XLARGE]", "6:26", "got 'P4D.24XLARGE'", "did you mean p4d.24xlarge?"),
    (
        "[p4d.24xlarge]",
        "[g6e]",
        "6:26",
        "got 'g6e'",
        "did you mean g6e.48xlarge, g6e.24xlarge, g6e.12xlarge or g6e.16xlarge?",
    ),
    ("[p4d.24xlarge]", "[zzz]", "6:26", "got 'zzz'", "types with GPUs: g4dn."),
    ("nodes: 4", "nodes: 4.5", "6:41", "not a node count; got 4.5", "write 400, [16, 32] or 16..64"),
    ("nodes: 4", "nodes: 4, spares: 1.5", "6:51", "must be a whole number; got 1.5", ""),
    ("nodes: 4", "nodes: 4, spares: 1.0", "6:51", "must be a whole number; got 1.0", "write 1"),
    ("nodes: 4", "nodes: 4, spares: -1", "6:51", "must be at least 0; got -1", ""),
    (
        "nodes: 4}",
        "nodes: 4}\nstorage: {s3_gateway_endpoint: no}",
        "7:11",
        "true or false; got 'no'",
        "text: write false",
    ),
    (
        "nodes: 4}",
        "nodes: 4}\nassumptions: {a: {valu: 1}}",
        "7:19",
        "unknown key 'valu' in assumptions.a",
        "did you mean value?",
    ),
    ("nodes: 4}", "nodes: 4}\nassumptions: {a: x}", "7:15", "assumptions.a must be a number; got 'x'", ""),
]


@pytest.mark.parametrize(("old", "new", "where", "message", "remedy"), WRONG)
def test_wrong_values_are_reported_with_place_and_remedy(old, new, where, message, remedy):
    found = problems(with_line(SMALL, old, new))
    matching = [problem for problem in found if message in problem.message]
    assert matching, [str(problem) for problem in found]
    assert place(matching[0]) == f"p.yaml:{where}"
    assert remedy in matching[0].remedy
    assert all(len(line) < 400 for line in str(matching[0]).splitlines())


def test_all_problems_come_together_in_the_order_of_the_file():
    text = with_line(with_line(with_line(FULL, "2.2PB", "2.2"), "40d", "40"), "euw1-az1\n  private", "x\n  private")
    found = problems(text)
    lines = [problem.line for problem in found]
    assert lines == sorted(line for line in lines if line)
    assert len(found) == 3


def test_nothing_dangerous_or_endless_is_echoed():
    found = problems(with_line(SMALL, "name: small", 'name: small\n"\u202eevil<b>' + "x" * 900 + '": 1'))
    text = "\n".join(map(str, found))
    assert "\u202e" not in text
    assert "\\u202eevil<b>" in text
    assert len(text) < 1000


def test_a_thousand_slips_are_cut_short():
    found = problems(SMALL + "".join(f"k{i}: 1\n" for i in range(9000)))
    assert len(found) == 51
    assert "more problems" in found[-1].message


def test_the_good_plans_load():
    assert load(SMALL).plan.name == "small"
    plan = load(FULL).plan
    assert plan.data.hot_dataset_bytes == 2.2e15
    assert plan.storage.fsx_lustre.capacity_bytes == 2400 * 2**40
    assert plan.run.phases[2].gpu_hours == 1200
    assert plan.run.phases[1].mfu_by_gpu == {"A100": 0.415, "H100": 0.38}
    assert plan.reliability.checkpoint_blocking_hours == 30 / 3600


def test_sections_left_out_are_the_same_as_empty_ones():
    empty = "".join(f"{key}: {{}}\n" for key in ("purchase", "storage", "reliability", "constraints", "deploy"))
    assert load(SMALL).plan == load(SMALL + empty).plan
    assert load(SMALL).sha256 == load(SMALL + empty).sha256


def test_yaml_words_mean_what_yaml_1_2_says():
    for word in ("no", "on", "yes", "1:30", "010", "0x1F", "2026-11-21", "0o7", "=", "12e"):
        assert load(with_line(SMALL, "name: small", f"name: {word}")).plan.name == word


def test_names_of_all_kinds_survive():
    for name in ("<script>alert(1)</script>", "\u202b\u05d0\u05d1\u05d2", "emoji \U0001f680", "x" * 10_000, "a\nb"):
        text = with_line(SMALL, "name: small", f"name: {json.dumps(name, ensure_ascii=False)}")
        assert load(text).plan.name == name


def test_json_is_read_too_with_its_escapes_and_tabs():
    text = (
        '{\n\t"apiVersion": "planner/v1", "name": "\\ud83d\\ude80 \\/ \\\\ud83d",\n\t"run": '
        '{"work": {"gpu_hours": 4E3}},'
        '\n"data": {"hot_dataset": "4TB"}, "fleet": {"instance_types": ["p4d.24xlarge"], "nodes": 4}}'
    )
    assert load(text).plan.name == "\U0001f680 / \\ud83d"


def test_byte_order_mark_and_windows_lines():
    text = "\ufeff" + with_line(SMALL, "nodes: 4", "nodes: 0").replace("\n", "\r\n")
    assert place(only(text.encode())) == "p.yaml:6:41"
    assert place(only(text[1:].replace("\r\n", "\r"))) == "p.yaml:6:41"


def test_aliases_are_read_as_what_they_stand_for():
    text = with_line(SMALL, "[p4d.24xlarge]", "&t [p4d.24xlarge]") + "purchase: {options: &o [spot]}\n"
    assert load(text).plan.fleet.instance_types == ("p4d.24xlarge",)
    shared = "x-rows: &rows 1\n"
    assert "unknown key" in only(SMALL + shared).message


def test_the_hash_is_of_the_meaning():
    same = SMALL.replace("4000", "4e3").replace("4TB", "4000GB").replace("# ", "") + "# a comment\nregion: us-east-1\n"
    assert load(same).sha256 == load(SMALL).sha256
    assert load(SMALL, "fleet.nodes=5").sha256 != load(SMALL).sha256
    assert load(with_line(SMALL, "nodes: 4", "nodes: 5")).sha256 == load(SMALL, "fleet.nodes=5").sha256
    assert len(load(SMALL).sha256) == 64


def test_problem_at_points_at_the_value_or_the_nearest_section():
    loaded = load(FULL, "fleet.spares=1")
    assert place(loaded.problem_at(("run", "phases", 0, "throughput", 1, "gpus"), "x")) == "p.yaml:17:12"
    assert place(loaded.problem_at("run.phases[0].throughput[1].gpus", "x")) == "p.yaml:17:12"
    assert place(loaded.problem_at("assumptions.goodput.restart_minutes", "x")) == "p.yaml:55:3"
    assert place(loaded.problem_at("constraints.nothing.here", "x")) == "p.yaml:53:1"
    assert loaded.problem_at("fleet.spares", "x").where == "--set fleet.spares"


class TestFiles:
    def test_missing_file_names_a_near_one(self, tmp_path):
        (tmp_path / "plan.yaml").write_text(SMALL)
        with pytest.raises(PlanProblems, match=r"no such file\n.*did you mean .*plan.yaml"):
            load_plan(tmp_path / "paln.yaml")

    def test_folder(self, tmp_path):
        with pytest.raises(PlanProblems, match="this is a folder"):
            load_plan(tmp_path)

    def test_path_that_no_system_takes(self):
        with pytest.raises(PlanProblems, match="cannot be read"):
            load_plan("a\x00b")

    def test_name_too_long(self):
        with pytest.raises(PlanProblems, match="cannot be read"):
            load_plan("x" * 5000)

    @pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device here")
    def test_a_device_without_an_end(self):
        with pytest.raises(PlanProblems, match="larger than 1 MB"):
            load_plan("/dev/zero")

    def test_file_and_text_load_alike(self, tmp_path):
        path = tmp_path / "plan.yaml"
        path.write_text(FULL)
        assert load_plan(path).sha256 == load_text(FULL).sha256
        assert load_plan(str(path)).where == str(path)

    def test_control_characters_of_a_file_name_are_escaped(self):
        assert textfile.label_of("a\x1b[31mb") == "a\\x1b[31mb"
