"""Xid lines of the kernel log: repeated, late, cut, and from the real /dev/kmsg."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from fleet_pool.health import look
from fleet_pool.health.kernel_log import Stream, event_of
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.health.recordings import record, xid

LINES = {number: record(number, xid(79 if number % 3 else 13)) for number in range(40)}


@given(st.lists(st.sampled_from(sorted(LINES)), max_size=80), st.lists(st.integers(1, 9), max_size=20))
def test_each_error_counts_once_however_often_and_late_its_line_comes(order: list[int], cuts: list[int]):
    stream, seen, start = Stream(), [], 0
    for size in (*cuts, len(order)):
        batch = order[start : start + size]
        start += size
        new = [event.sequence for event in stream.new([LINES[number] for number in batch])]
        assert new == sorted(new)
        seen += new
    assert sorted(seen) == sorted(set(order))


def test_what_a_person_has_dealt_with_does_not_come_again():
    assert [event.sequence for event in Stream(after=37).new(LINES.values())] == [38, 39]


@pytest.mark.parametrize(
    "line",
    [
        xid(79),  # no record
        "4,12,345,-;NVRM: Xid (PCI:0000:53:00): abc, pid=1",
        "4,12,345,-;user wrote about Xid 79 and nvidia",
        "4,12,345,-;",
        " SUBSYSTEM=pci",
        "",
    ],
)
def test_other_lines_are_no_errors(line: str):
    assert event_of(line) is None


def test_records_of_a_pipe_come_as_they_are_written_and_cut_ones_are_joined(tmp_path: Path):
    pipe = tmp_path / "kmsg"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    reading = look.records(pipe, follow=True, every_s=0.01)
    assert next(reading) == ""
    os.write(writer, record(1, xid(79)).encode() + b"\n SUBSYSTEM=pci\n" + record(2, xid(48)).encode()[:20])
    assert next(reading) == record(1, xid(79))
    assert next(reading) == ""
    os.write(writer, record(2, xid(48)).encode()[20:] + b"\n")
    assert next(line for line in reading if line) == record(2, xid(48))
    reading.close()
    os.close(writer)


@pytest.mark.skipif(not os.access("/dev/kmsg", os.W_OK), reason="needs root and /dev/kmsg")
def test_the_real_kernel_log_gives_what_was_written_to_it():
    # a code that no driver has, so that nobody else on this machine minds
    mark = f"planner-test-{time.monotonic_ns()}"
    before = look.last_record()
    Path("/dev/kmsg").write_text(f"NVRM: Xid (PCI:0000:00:00): 9999, {mark}\n")
    events = [event for event in Stream(after=before).new(look.records(look.KMSG, follow=False)) if mark in event.text]
    assert [event.code for event in events] == [9999]
    assert look.last_record() >= events[0].sequence > before
