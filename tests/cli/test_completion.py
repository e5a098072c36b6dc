"""`planner completion`: what the shells ask and what they are told, in the shells themselves where they are here."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.api.arguments import named
from planner.cli.completion import VARIABLE, command, equations_of_source
from planner.cli.main import VERBS
from planner.estimate.derivations import known_of
from planner.models.catalogue import all_equations
from pricing.snapshot import available
from tests.builders import compared, plan_of

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb", "HOME": "/nonexistent"}


def needs(shell: str) -> str:
    """The path of a shell; skips by its name where it is missing."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed here")
    return found


def script(shell: str) -> str:
    result = CliRunner().invoke(command, [shell])
    assert result.exit_code == 0, result.output
    return result.stdout


def asked(words: str, current: int | None = None) -> list[str]:
    """What bash is told: the words of the line, the one with that number (the last) being completed."""
    position = len(words.split(" ")) - 1 if current is None else current
    environment = {**ENVIRONMENT, VARIABLE: "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    done = subprocess.run([BIN / "planner"], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


def test_every_verb_is_offered():
    assert asked("planner ") == [f"plain,{verb}" for verb in VERBS]
    assert asked("planner comple") == ["plain,completion"]


def test_options_choices_and_subcommands():
    assert "plain,--max-cost" in asked("planner compare --max")
    assert asked("planner compare -f js") == ["plain,json"]
    assert "plain,show" in asked("planner prices ")
    assert asked("planner completion z") == ["plain,zsh"]


@pytest.mark.parametrize("line", ["compare my", "validate a.yaml my", "report p.yaml -o my", "schema -o my", "init my"])
def test_files_are_left_to_the_shell(line):
    assert asked(f"planner {line}") == ["file,my"]


def test_equations_by_name_and_their_inputs():
    assert asked("planner calc pool-us") == ["plain,pool-usable"]
    inputs = ["raw_tb=", "filesystem_fraction=", "low_watermark_fraction="]
    assert asked("planner calc pool-usable ") == [f"plain,{key}" for key in inputs]
    assert asked("planner calc S2 low") == ["plain,low_watermark_fraction="]


def test_an_input_that_is_there_is_not_offered_again_nor_where_its_value_is_typed():
    assert asked("planner calc pool-usable raw_tb=3200 ")[0] == "plain,filesystem_fraction="
    # bash hands over its words cut at the equals signs
    assert asked("planner calc pool-usable raw_tb = 3200 ")[0] == "plain,filesystem_fraction="
    assert asked("planner calc pool-usable raw_tb = ", 4) == []
    assert asked("planner calc pool-usable raw_tb = 3", 5) == []
    assert asked("planner compare --format = j", 4) == ["plain,json"]


def test_values_that_the_repository_knows():
    assert asked("planner compare p.yaml --prices ") == [f"plain,{day}" for day in available()]
    assert asked("planner compare p.yaml --set fleet.no") == ["plain,fleet.nodes="]
    assert "plain,p5.48xlarge" in asked("planner offers p5")


PLAN = str(ROOT / "examples" / "small.yaml")


@pytest.mark.parametrize("line", [f"explain {PLAN} ", f"sensitivity {PLAN} --against "])
def test_scenarios_of_the_plan_that_stands_on_the_line(line):
    there = [f"plain,{scenario.id}" for scenario in compared(plan_of()).scenarios]
    choices, others = (found := asked(f"planner {line}"))[:3], found[3:]
    assert choices == ["plain,best", "plain,cheapest", "plain,safest"]
    assert sorted(others) == sorted(there)
    assert asked(f"planner {line}s3-stream/p4d.24xlarge/o") == ["plain,s3-stream/p4d.24xlarge/on-demand"]


def test_scenarios_are_those_of_the_plan_with_what_the_line_sets():
    line = f"planner explain {PLAN} --set purchase.options=[spot] --set fleet.nodes=[2,4] conv"
    assert asked(line) == [f"plain,converged/p4d.24xlargex{nodes}/spot" for nodes in (2, 4)]


@pytest.mark.thorough
def test_numbers_of_the_scenario_that_stands_on_the_line():
    for name in ("best", "separate-nvme/p4d.24xlarge/spot-fallback", "#2"):
        found = asked(f"planner explain {PLAN} {name} ")
        scenario = named(compared(plan_of()), name)
        assert found[: len(scenario.bill)] == [f"plain,{line.line}" for line in scenario.bill]
        assert sorted(found) == sorted(f"plain,{id}" for id in known_of(scenario))
    assert asked(f"planner explain {PLAN} best storage.kms.key.list_c") == ["plain,storage.kms.key.list_cost"]


@pytest.mark.parametrize("name", ["nowhere.yaml", "-", ".", "binary", "broken", "wrong", "unknown-type"])
def test_a_plan_that_cannot_be_planned_offers_nothing_and_says_nothing(name, tmp_path):
    (tmp_path / "binary").write_bytes(b"\x00\xff")
    (tmp_path / "broken").write_text("apiVersion: [", encoding="utf-8")
    (tmp_path / "wrong").write_text("apiVersion: planner/v1\nrun: 3", encoding="utf-8")
    text = (ROOT / "examples" / "small.yaml").read_text(encoding="utf-8")
    (tmp_path / "unknown-type").write_text(text.replace("p4d.24xlarge", "p4d.25xlarge"), encoding="utf-8")
    plan = name if name in "-." else str(tmp_path / name)
    assert asked(f"planner explain {plan} s3") == []  # asked() holds that standard error is empty
    assert asked(f"planner explain {plan} best fleet") == []


@pytest.mark.parametrize("words", ["--prices 1999-01-01 s3", "nonsens fleet", "--set fleet.nodes=-1 s3"])
def test_what_is_wrong_beside_the_plan_offers_nothing_either(words):
    assert asked(f"planner explain {PLAN} {words}") == []


def test_an_unknown_verb_or_equation_offers_nothing():
    assert asked("planner calc no-such-equation ") == []
    assert asked("planner nonsens") == []


def test_equations_read_from_the_source_are_the_registered_ones():
    read = {(number, name): (summary, keys) for number, name, summary, keys in equations_of_source()}
    assert read == {
        (entry.number, entry.name): (entry.summary, tuple(p.name for p in entry.parameters))
        for entry in all_equations()
    }


def test_completing_loads_nothing_that_takes_long():
    code = (
        "import sys, planner.cli.main as m\n"
        "try: m.run()\n"
        "except SystemExit: pass\n"
        "print([n for n in ('numpy', 'pydantic', 'yaml', 'jinja2') if n in sys.modules], file=sys.stderr)"
    )
    for line in ("planner ", "planner calc pool", "planner calc pool-usable ", "planner compare --set fl"):
        environment = {**ENVIRONMENT, VARIABLE: "bash_complete", "COMP_WORDS": line}
        environment["COMP_CWORD"] = str(len(line.split(" ")) - 1)
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip()
        assert done.stderr.strip() == "[]", line


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_reads_and_calls_us_by_name(shell, tmp_path):
    path = tmp_path / "script"
    path.write_text(script(shell), encoding="utf-8")
    assert "planner" in path.read_text()
    assert str(BIN) not in path.read_text()
    subprocess.run([needs(shell), "-n", str(path)], check=True)


def test_a_shell_that_we_do_not_know_is_a_usage_error():
    result = CliRunner().invoke(command, ["tcsh"])
    assert result.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in result.stderr


def test_fish_itself(tmp_path):
    fish = needs("fish")

    def completes(line: str) -> list[str]:
        words = f"planner completion fish | source; complete -C '{line}'"
        environment = {**ENVIRONMENT, "HOME": str(tmp_path)}
        done = subprocess.run([fish, "-c", words], env=environment, capture_output=True, text=True, check=True)
        return [row.partition("\t")[0] for row in done.stdout.splitlines()]

    assert completes("planner comp") == ["compare", "completion"]
    assert completes("planner calc pool-usable r") == ["raw_tb="]


def typed(command_line: list[str], setup: str, line: str, expected: str, home: Path) -> str:
    """What an interactive shell shows after a line with a tab, read until `expected` is there or 60 seconds pass."""
    terminal, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "HOME": str(home), "PS1": "> "}
    shell = subprocess.Popen(
        command_line, stdin=theirs, stdout=theirs, stderr=theirs, cwd=home, env=environment, start_new_session=True
    )
    os.close(theirs)
    shown = ""
    try:
        os.write(terminal, f"{setup}; echo re''ady\n".encode())
        for until, then in (("ready\r", line), (expected, "")):
            deadline, seen = time.monotonic() + 60, len(shown)
            while until not in shown[seen:] and time.monotonic() < deadline:
                if select.select([terminal], [], [], 1)[0]:
                    shown += os.read(terminal, 4096).decode("utf-8", "replace")
            os.write(terminal, then.encode())
    finally:
        shell.kill()
        shell.wait()
        os.close(terminal)
    return shown


SHELLS = [
    (["bash", "--norc", "--noprofile", "-i"], 'eval "$(planner completion bash)"'),
    (["zsh", "-f", "-i"], 'autoload -U compinit; compinit -u; eval "$(planner completion zsh)"'),
]


@pytest.mark.parametrize(("words", "setup"), SHELLS, ids=["bash", "zsh"])
def test_a_tab_in_the_shell_itself(words, setup, tmp_path):
    shell = needs(words[0])
    called = [shell, *words[1:]]
    assert "pool-usable" in typed(called, setup, "planner calc pool-us\t", "pool-usable", tmp_path)
    # no space behind the equals sign: what is typed next is the value
    shown = typed(called, setup, "planner calc pool-usable raw\t7", "raw_tb=7", tmp_path)
    assert "raw_tb=7" in shown
    shown = typed(called, setup, f"planner explain {PLAN} s3-stream/p4d.24xlarge/o\t", "on-demand", tmp_path)
    assert "s3-stream/p4d.24xlarge/on-demand" in shown
