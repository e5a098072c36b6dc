"""What a worker decides, without S3 or processes: lists, ends of tries, bad machines."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from fleet_pool.problems import UsageProblem
from fleet_pool.worker import exits
from fleet_pool.worker.exits import EXIT, MOST_TRIES, RETRY, RULES, action_of, verdict
from fleet_pool.worker.joblist import MOST_JOBS, parsed
from fleet_pool.worker.machines import machines_of
from fleet_pool.worker.records import JobRecords
from fleet_pool.worker.status import status_of

from tests.launch.memory import Memory

LIST = {"name": "tunes", "command": ["python3", "train.py"], "jobs": 3}


class TestLists:
    def test_a_count_of_jobs(self):
        found = parsed(json.dumps(LIST), "list.json")
        assert [job.name for job in found.jobs] == ["0", "1", "2"]
        assert (found.every_steps, found.failures, found.machine_failures) == (100, 3, 3)

    def test_jobs_with_arguments_and_environment(self):
        jobs = [{"name": "cat", "args": ["--subject", "cat"], "env": {"SEED": "7"}}, {}]
        found = parsed(json.dumps({**LIST, "jobs": jobs}), "list.json")
        assert found.jobs[0].args == ("--subject", "cat")
        assert found.jobs[0].environment == {"SEED": "7"}
        assert found.jobs[1].name == "1"

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"name": "a/b"}, "name 'a/b'"),
            ({"name": None}, "name None"),
            ({"command": []}, "command must be a list"),
            ({"command": "python3 train.py"}, "command must be a list"),
            ({"jobs": 0}, f"1 to {MOST_JOBS}"),
            ({"jobs": MOST_JOBS + 1}, f"1 to {MOST_JOBS}"),
            ({"jobs": True}, f"1 to {MOST_JOBS}"),
            ({"jobs": ["a"]}, r"jobs\[0\]: must be an object"),
            ({"jobs": [{"arg": []}]}, r"jobs\[0\]: 'arg' is unknown"),
            ({"jobs": [{"env": {"A B": "1"}}]}, r"jobs\[0\]: env must"),
            ({"jobs": [{"args": [1]}]}, r"jobs\[0\]: args must"),
            ({"every_steps": 0}, "every_steps must be a number from 1"),
            ({"every_steps": 1.5}, "every_steps must be a number from 1"),
            ({"failure": 3}, "'failure' is unknown"),
        ],
    )
    def test_what_is_wrong_is_named(self, change, says):
        with pytest.raises(UsageProblem, match=says):
            parsed(json.dumps({**LIST, **change}), "list.json")

    @pytest.mark.parametrize("text", ["", "[]", "{", "3"])
    def test_what_is_no_list_at_all(self, text):
        with pytest.raises(UsageProblem, match=r"list\.json"):
            parsed(text, "list.json")


class TestEnds:
    @pytest.mark.parametrize(
        ("seen", "kind", "counts"),
        [
            ({"code": 0}, exits.DONE, False),
            ({"code": 1}, exits.FAILED, True),
            ({"code": 1, "failures": 2}, exits.DEAD, True),
            ({"code": 137}, exits.FAILED, True),
            ({"code": 0, "stopped": True, "notice": "spot notice"}, exits.HANDED_OVER, False),
            ({"code": 143, "stopped": True, "notice": "spot notice", "failures": 2}, exits.HANDED_OVER, False),
            ({"code": 0, "notice": "spot notice"}, exits.DONE, False),  # it was quicker than the notice
            ({"code": 137, "stopped": True, "stalled_s": 60.0}, exits.STALLED, True),
            ({"code": 0, "trouble": "save 10 is not in the bucket"}, exits.FAILED, True),
            ({"code": 0, "trouble": "save 10 is not in the bucket", "failures": 2}, exits.DEAD, True),
            ({"code": 0, "trouble": "save 10 is not in the bucket", "notice": "spot"}, exits.HANDED_OVER, False),
            ({"code": 137, "stopped": True, "superseded": True}, exits.SUPERSEDED, False),
        ],
    )
    def test_why_a_try_ended(self, seen, kind, counts):
        found = verdict(**{"stopped": False, "failures": 0, "most_failures": 3, **seen})
        assert (found.kind, found.counts) == (kind, counts)

    @pytest.mark.parametrize(
        ("seen", "action"),
        [
            ({"exit_code": None, "status_reason": "Host EC2 (instance i-0a1) terminated."}, RETRY),
            ({"exit_code": exits.CODES[exits.DEAD], "status_reason": "Host EC2 (instance i-0a1) terminated."}, RETRY),
            ({"exit_code": exits.CODES[exits.DEAD]}, EXIT),
            ({"exit_code": 2}, EXIT),
            ({"exit_code": 1}, RETRY),
            ({"exit_code": exits.CODES[exits.HANDED_OVER]}, RETRY),
            ({"exit_code": exits.CODES[exits.REFUSED]}, RETRY),
            ({"exit_code": 137, "reason": "OutOfMemoryError: Container killed due to memory usage"}, RETRY),
            ({"exit_code": None, "reason": "CannotPullContainerError: timeout"}, RETRY),
        ],
    )
    def test_what_the_service_does(self, seen, action):
        assert action_of(**seen) == action

    def test_the_rules_fit_into_a_retry_strategy(self):
        assert 1 <= len(RULES) <= 5
        assert 1 <= MOST_TRIES <= 10
        assert all(sum(map(bool, (r.on_status_reason, r.on_exit_code, r.on_reason))) == 1 for r in RULES)


def machines(**failed: list[int]) -> list[str]:
    return [f"{name}/{what}" for name, jobs in failed.items() for what in ["seen", *(f"failed-{n:06d}" for n in jobs)]]


class TestMachines:
    def test_three_different_jobs_that_fail_nowhere_else(self):
        found = machines_of(machines(a=[1, 2, 3], b=[], c=[4]))
        assert found.is_bad("a", 3)
        assert not found.is_bad("a", 4)
        assert not any(found.is_bad(other, 3) for other in "bc")

    def test_a_job_that_fails_on_two_machines_counts_for_neither(self):
        found = machines_of(machines(a=[1, 2, 3], b=[3]))
        assert found.spoiled("a") == {1, 2}
        assert not found.is_bad("a", 3)

    def test_a_list_of_broken_jobs_does_not_take_the_pool_out(self):
        each_its_own = {f"m{n}": [3 * n, 3 * n + 1, 3 * n + 2] for n in range(9)}
        names = machines(**each_its_own)
        out = 0
        for name in each_its_own:
            if machines_of(names).is_bad(name, 3):
                names.append(f"{name}/out")
                out += 1
        assert out == 3

    def test_one_that_is_out_stays_out(self):
        found = machines_of([*machines(a=[1, 2, 3], b=[1, 2, 3]), "a/out"])
        assert found.is_bad("a", 3)

    def test_names_of_others_are_left_alone(self):
        assert not machines_of(["a/failed-x", "a/", "a"]).is_bad("a", 1)


class TestBeats:
    def test_nobody_overwrites_the_heartbeat_of_another(self):
        """All jobs of a pool share one role: the bucket takes each key once, so no object is ever overwritten."""
        jobs, bucket = parsed(json.dumps(LIST), "list.json"), Memory()
        own, other = (JobRecords(cast(Any, bucket), jobs, 2) for _ in range(2))
        own.beat(1, {"machine": "i-1"})
        other.beat(1, {"machine": "i-2"})
        other.beat(1, {"machine": "i-2"})
        assert {key: json.loads(data)["machine"] for key, data in bucket.objects.items()} == {
            "workers/tunes/beats/000002/0001-000001.json": "i-1",
            "workers/tunes/beats/000002/0001-000002.json": "i-2",
        }

    @pytest.mark.parametrize(("age_s", "silent"), [(3.0, ()), (5.0, (0,))])
    def test_a_job_is_silent_by_the_clock_of_the_bucket(self, age_s: float, silent: tuple[int, ...]):
        jobs, bucket = parsed(json.dumps(LIST), "list.json"), Memory()
        records = JobRecords(cast(Any, bucket), jobs, 0)
        assert records.begin({}) == 1
        records.beat(1, {})
        bucket.age_s = age_s
        assert status_of(cast(Any, bucket), jobs, beat_s=1).silent == silent
