"""`planner demand show`: jobs and hours, what they say, and what is refused with its line."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from planner.cli.demand import command
from planner.demand.sacct_row import tasks_of
from planner.errors import PlanProblems, UsageProblem

HEAD = "JobID|Submit|Eligible|Start|End|State|NNodes\n"
DAY = "2026-01-31T"
# four nodes: job 1 has all of them for 10 h, job 2 waits 8 h of them for two, job 3 is cancelled while it waits
JOBS = (
    f"1|{DAY}00:00:00|{DAY}00:00:00|{DAY}00:00:00|{DAY}10:00:00|COMPLETED|4\n"
    f"2|{DAY}02:00:00|{DAY}02:00:00|{DAY}10:00:00|{DAY}20:00:00|TIMEOUT|2\n"
    f"3|{DAY}04:00:00|{DAY}04:00:00|None|{DAY}05:00:00|CANCELLED by 1000|8\n"
)
# the second job waits for two hours, for nodes that a fleet of four has
ROOM = JOBS.splitlines()[0] + f"\n2|{DAY}12:00:00|{DAY}12:00:00|{DAY}14:00:00|{DAY}20:00:00|COMPLETED|2\n"


FULL = "JobID|Account|Partition|Submit|Start|End|Elapsed|Timelimit|State|NNodes|AllocTRES|ReqTRES|\n"
# as --parsable prints them, with a bar at the end: an array, a job that was cancelled before it began, one that runs
REAL = (
    f"7_1|DL|a100|{DAY}00:00:00+0100|{DAY}01:00:00+0100|{DAY}03:00:00+0100|02:00:00|04:00:00|COMPLETED|1|"
    "billing=9,cpu=16,gres/gpu:a100=2,gres/gpu=2,mem=1G,node=1||\n"
    f"7_2|DL|a100|{DAY}00:00:00+0100|{DAY}02:00:00+0100|{DAY}03:00:00+0100|01:00:00|04:00:00|OUT_OF_MEMORY|1|"
    "gres/gpu:a100=2,node=1||\n"
    f"7_[3-6%2]|DL|a100|{DAY}00:00:00+0100|Unknown|Unknown|00:00:00|04:00:00|PENDING|1||gres/gpu=2|\n"
    f"7_1.batch|DL||{DAY}01:00:00+0100|{DAY}01:00:00+0100|{DAY}03:00:00+0100|02:00:00||COMPLETED|1|cpu=1||\n"
    f"8|bio|h100|{DAY}00:00:00+0100|None|{DAY}04:00:00+0100|00:00:00|UNLIMITED|CANCELLED by 7|2||gres/gpu=16|\n"
    f"9|bio|h100|{DAY}00:30:00+0100|{DAY}01:00:00+0100|Unknown|1-02:00:00|Partition_Limit|RUNNING|2|gres/gpu:h100=16||\n"
)


def run(tmp_path, text: str, *words: str) -> str:
    path = tmp_path / "jobs.txt"
    path.write_text(text, encoding="utf-8")
    return (
        CliRunner(env={"COLUMNS": "60"})
        .invoke(command, ["show", str(path), *words], catch_exceptions=False, standalone_mode=False)
        .stdout
    )


def shown(tmp_path, text: str, *words: str) -> dict:
    return json.loads(run(tmp_path, text, *words, "-f", "json"))


def test_jobs_by_hand(tmp_path):
    found = shown(tmp_path, HEAD + JOBS, "--zone", "UTC")
    assert found["states"] == {"COMPLETED": 1, "TIMEOUT": 1, "CANCELLED": 1}
    assert found["node_hours"] == pytest.approx(4 * 10 + 2 * 10)
    assert found["completed_node_hours"] == pytest.approx(40)
    assert found["waits_h"]["mean"] == pytest.approx((0 + 8) / 2)
    assert (found["peak_nodes"], found["peak_wanted"], found["largest_nodes"]) == (4, 4 + 2 + 8, 8)
    assert found["utilisation"] == pytest.approx(60 / (4 * 20))
    # more than four nodes are needed from 02:00 to 10:00
    assert found["limited"] == pytest.approx(8 / 20)
    assert found["censored"] is True


def test_a_fleet_with_room_does_not_limit_its_jobs(tmp_path):
    found = shown(tmp_path, HEAD + ROOM, "--zone", "UTC")
    assert found["limited"] == 0
    assert found["censored"] is False


def test_a_job_that_waits_for_another_does_not_wait_for_nodes(tmp_path):
    held = f"2|{DAY}02:00:00|{DAY}10:00:00|{DAY}10:00:00|{DAY}20:00:00|COMPLETED|2\n"
    pending = f"3|{DAY}04:00:00|Unknown|Unknown|Unknown|PENDING|8\n"
    found = shown(tmp_path, HEAD + JOBS.splitlines()[0] + "\n" + held + pending, "--zone", "UTC")
    assert found["limited"] == 0
    assert found["waits_h"]["mean"] == 0


def test_local_times_are_read_in_their_zone(tmp_path):
    # the clocks of Berlin go back at 03:00 on 2026-10-25: 00:00 to 06:00 are seven hours, and 02:30 comes twice
    text = HEAD + "1|2026-10-25T00:00:00||2026-10-25T00:00:00|2026-10-25T06:00:00|COMPLETED|1\n"
    assert shown(tmp_path, text, "--zone", "Europe/Berlin")["node_hours"] == pytest.approx(7)
    assert shown(tmp_path, text, "--zone", "UTC")["node_hours"] == pytest.approx(6)
    again = text.replace("T06:00:00", "T02:30:00")
    assert shown(tmp_path, again, "--zone", "Europe/Berlin")["repeated"] == 1


def test_steps_and_jobs_that_still_run_are_said(tmp_path):
    more = f"1.batch|{DAY}00:00:00||{DAY}00:00:00|{DAY}10:00:00|COMPLETED|1\n"
    more += f"4|{DAY}15:00:00|{DAY}15:00:00|{DAY}16:00:00|Unknown|RUNNING|1\n"
    found = shown(tmp_path, HEAD + JOBS + more, "--zone", "UTC")
    assert (found["steps"], found["running"]) == (1, 1)
    assert found["node_hours"] == pytest.approx(60 + 4)  # to the file's last time, 20:00


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (HEAD + JOBS + f"5|{DAY}05:00:00|{DAY}05", 5, "the file is cut short"),
        (HEAD + JOBS.rstrip(), 4, "the last line has no end"),
        (HEAD + JOBS.replace(f"{DAY}02:00:00", "02/01/2026", 1), 3, "is no time"),
        (HEAD + JOBS.replace(DAY, "0001-01-01T", 1), 2, "not between 1970 and 2100"),
        (HEAD + JOBS.replace(f"{DAY}20:00:00", f"{DAY}09:00:00"), 3, "End is before Start"),
        (HEAD + JOBS.replace("COMPLETED|4", "COMPLETED|1K"), 2, "is no number of nodes"),
        (FULL + REAL.replace("gres/gpu=2,mem", "gres/gpu=two,mem"), 2, "is no number of GPUs"),
        (FULL + REAL.replace("04:00:00|COMP", "soon|COMP"), 2, "is no time of the form 1-02:03:04"),
        (HEAD + JOBS + JOBS.splitlines()[0].replace("|4", "|8") + "\n", 5, "of line 2 again, with another end or size"),
        (FULL + REAL.replace("[3-6%2]", "[3-6,...]"), 4, "names no tasks of an array"),
        (HEAD.replace("|NNodes", "") + "x", 1, "no column nnodes"),
        (HEAD, 1, "no job after the header"),
        ("JobID  State\n-----  -----\n", 1, "no | between its columns"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, text, line, said):
    with pytest.raises(PlanProblems) as error:
        run(tmp_path, text, "--zone", "UTC")
    assert f"jobs.txt:{line}:1: " in str(error.value)
    assert said in str(error.value)
    assert "sacct" in error.value.problems[0].remedy or "--zone" in error.value.problems[0].remedy


@pytest.mark.parametrize("words", [(), ("--zone", "Mars/Olympus")])
def test_jobs_without_a_zone_are_refused(tmp_path, words):
    with pytest.raises((UsageProblem, PlanProblems), match="Europe/Berlin") as error:
        run(tmp_path, HEAD + JOBS, *words)
    assert str(error.value).count("Berlin") == 1


def test_gpus_accounts_and_offsets_by_hand(tmp_path):
    found = shown(tmp_path, FULL + REAL)
    assert (found["begin"], found["zone"]) == ("2026-01-30T23:00:00+00:00", None)
    assert found["gpu_hours"] == pytest.approx(2 * 2 + 1 * 2 + 26 * 16)
    assert [(one["name"], one["jobs"], one["gpu_hours"]) for one in found["projects"]] == [
        ("bio", 1, 26 * 16),
        ("dl", 2, 6),
    ]
    assert found["ran_on"] == {"h100": 26 * 16, "a100": 6}
    assert (found["peak_gpus"], found["peak_nodes"], found["steps"], found["running"]) == (20, 4, 1, 1)
    assert found["peak_wanted_gpus"] == 40  # 20 run, two of the array's four tasks at a time and a job of 16 wait
    assert found["states"]["PENDING"] == 4


def test_tasks_of_an_array_that_wait_are_as_many_jobs():
    assert tasks_of("7") == tasks_of("7_3") == (1, 1)
    assert tasks_of("7_[0-31%4]") == (32, 4)
    assert tasks_of("7_[1,3,8-10]") == (5, 5)
    assert tasks_of("7_[0-20:10%9]") == (3, 3)
    assert tasks_of("7_[0-31,40...]") is tasks_of("7_[]") is None


def test_offsets_of_summer_and_winter_are_one_clock_and_of_two_clusters_are_none(tmp_path):
    winter = FULL + REAL
    summer = REAL.replace("+0100", "+0200").replace("-01-31T", "-07-31T").replace("|DL|", "|other|")
    assert "+0200" in summer
    assert shown(tmp_path, winter + "".join(f"9{line}\n" for line in summer.splitlines()))["states"]["PENDING"] == 8
    with pytest.raises(PlanProblems, match="two clusters"):
        run(tmp_path, winter + "".join(f"9{line}\n" for line in summer.replace("+0200", "-0500").splitlines()))


def test_elapsed_is_what_a_job_held_its_nodes(tmp_path):
    """A job that was suspended, and one that ran through the hour that comes twice."""
    head = HEAD.replace("NNodes", "NNodes|Elapsed")
    text = head + f"1|{DAY}00:00:00||{DAY}00:00:00|{DAY}10:00:00|COMPLETED|1|06:00:00\n"
    assert shown(tmp_path, text, "--zone", "UTC")["node_hours"] == pytest.approx(6)
    text = head + "1|2026-10-25T00:00:00||2026-10-25T00:00:00|2026-10-25T02:30:00|COMPLETED|1|03:30:00\n"
    assert shown(tmp_path, text, "--zone", "Europe/Berlin")["node_hours"] == pytest.approx(3.5)
    with pytest.raises(PlanProblems, match="longer than from Start to End"):
        run(tmp_path, text.replace("03:30:00", "1-00:00:00"), "--zone", "Europe/Berlin")


def test_parts_of_a_job_that_changed_its_size_did_not_wait(tmp_path):
    parts = f"5|{DAY}00:00:00|{DAY}00:00:00|{DAY}01:00:00|{DAY}03:00:00|RESIZING|4\n"
    parts += f"5|{DAY}00:00:00|{DAY}00:00:00|{DAY}03:00:00|{DAY}09:00:00|COMPLETED|2\n"
    found = shown(tmp_path, HEAD + parts, "--zone", "UTC")
    assert (found["node_hours"], found["resized"], found["waits_h"]["mean"]) == (4 * 2 + 2 * 6, 2, 0.5)


def test_outputs_that_were_joined_count_once(tmp_path):
    found = shown(tmp_path, HEAD + JOBS + HEAD + JOBS, "--zone", "UTC")
    assert (found["twice"], found["node_hours"]) == (3, 60)


def test_times_in_seconds_since_1970(tmp_path):
    text = HEAD + "1|1769817600||1769817600|1769821200|COMPLETED|2\n"
    assert shown(tmp_path, text)["node_hours"] == 2


HOURS = "hour,instance_type,instances\n" + "".join(
    f"2026-01-31T{hour:02}:00Z,p4d.24xlarge,{4 if hour < 6 else 2}\n" for hour in range(24)
)


def test_hours_by_hand(tmp_path):
    found = shown(tmp_path, HOURS)
    (one,) = found["types"]
    assert (one["instance_hours"], one["peak"], one["at_peak"]) == (6 * 4 + 18 * 2, 4, 6 / 24)
    assert one["utilisation"] == pytest.approx(60 / (4 * 24))
    assert one["may_be_censored"] is True
    assert found["censored"] is None
    with pytest.raises(UsageProblem, match="--zone is for"):
        run(tmp_path, HOURS, "--zone", "UTC")


def test_the_screen_says_what_to_trust_and_what_comes_next(tmp_path):
    for text, words, wanted in (
        (HEAD + JOBS, ("--zone", "UTC"), ("Censored: in 40.0%", "1 CANCELLED", "kind: fleet")),
        (HEAD + ROOM, ("--zone", "UTC"), ("No limit shows", "Yet jobs waited below that peak")),
        (HOURS, (), ("25.0% of the hours", "need may have been higher", "planner mix")),
    ):
        screen = run(tmp_path, text, *words)
        assert max(map(len, screen.splitlines())) <= 60
        for part in wanted:
            assert part in " ".join(screen.split()), part
