"""What a node decides in any state."""

from __future__ import annotations

from dataclasses import replace

from fleet_pool.launch.decision import Declare, Join, Propose, Report, Start, View, Wait, decide
from fleet_pool.launch.outcome import DONE, LOST, STOPPED, Exit
from fleet_pool.launch.ranks import Member
from fleet_pool.launch.records import Plan
from hypothesis import given
from hypothesis import strategies as st

from tests.launch.memory import run_of

NODES = tuple(Member(instance=f"i-{n}", incarnation="1", address=f"10.0.0.{n}") for n in range(4))
PLAN = Plan(members=NODES[:3], why="", commit=None)
CALM = View(
    me=NODES[0],
    run=run_of("true", node_s=60.0),
    attempt=1,
    joined=True,
    offers=(),
    waited_s=0.0,
    plan=PLAN,
    exits={},
    stop=False,
    started=True,
    code=None,
    silent_s={},
    quiet_s={},
    failed_s=0.0,
    idle_s=0.0,
)

seconds = st.floats(0, 1e6)
views = st.builds(
    View,
    me=st.sampled_from([*NODES, replace(NODES[1], incarnation="2")]),
    run=st.just(CALM.run),
    attempt=st.integers(1, 9),
    joined=st.booleans(),
    offers=st.lists(st.sampled_from(NODES), unique=True),
    waited_s=seconds,
    plan=st.sampled_from([None, PLAN]),
    exits=st.dictionaries(
        st.integers(0, 2), st.builds(Exit, rank=st.integers(0, 2), code=st.integers(0, 255), own=st.booleans())
    ).map(lambda found: {rank: replace(each, rank=rank) for rank, each in found.items()}),
    stop=st.booleans(),
    started=st.booleans(),
    code=st.one_of(st.none(), st.integers(0, 255)),
    silent_s=st.dictionaries(st.sampled_from([node.instance for node in NODES]), seconds),
    quiet_s=st.dictionaries(st.sampled_from([node.instance for node in NODES]), seconds),
    failed_s=seconds,
    idle_s=seconds,
)


@given(views)
def test_in_no_state_does_a_node_start_what_is_not_its_part(view):
    step = decide(view)
    if isinstance(step, Start):
        assert view.plan is not None
        assert view.plan.members[step.rank] == view.me
        assert not view.started
    if isinstance(step, Propose):
        assert view.plan is None
        assert len(step.order.members) == view.run.nodes
    if isinstance(step, Join):
        assert view.plan is None
        assert view.idle_s <= view.run.resume_s
    if isinstance(step, Report):
        assert view.code is not None
        assert step.rank not in view.exits
    if isinstance(step, Declare) and step.kind == DONE:
        assert sorted(view.exits) == [0, 1, 2]
        assert not any(each.code for each in view.exits.values())
    assert (isinstance(step, Declare) and step.kind == STOPPED) == view.stop


def test_a_healthy_attempt_is_left_alone_however_long_it_runs():
    """The bucket may be silent for weeks, and spare nodes look on."""
    assert isinstance(decide(CALM), Wait)
    assert isinstance(decide(replace(CALM, idle_s=1e6)), Wait)
    assert isinstance(decide(replace(CALM, me=NODES[3], idle_s=1e6)), Wait)


def test_a_spare_that_is_cut_off_from_one_node_does_not_end_the_attempt_of_all():
    spare = replace(CALM, me=NODES[3], silent_s={"i-0": 99.0, "i-1": 99.0, "i-2": 0.1})
    assert isinstance(decide(spare), Wait)
    step = decide(replace(spare, silent_s={"i-0": 99.0, "i-1": 99.0, "i-2": 99.0}))
    assert isinstance(step, Declare)
    assert step.kind == LOST


def test_members_watch_rank_0_and_rank_0_watches_them():
    silent = {"i-2": 99.0}
    step = decide(replace(CALM, silent_s=silent))
    assert isinstance(step, Declare)
    assert (step.kind, step.why) == (LOST, "i-2 (rank 2) has not answered for 99 s")
    assert isinstance(decide(replace(CALM, me=NODES[1], silent_s=silent)), Wait)
    # who has succeeded need not answer any more
    ended = {2: Exit(rank=2, code=0, own=True)}
    assert isinstance(decide(replace(CALM, silent_s=silent, exits=ended)), Wait)


def test_ranks_that_fail_because_a_node_was_lost_are_not_blamed():
    """Their connections break at once; the lost node is silent a little later."""
    exits = {1: Exit(rank=1, code=1, own=True)}
    assert isinstance(decide(replace(CALM, exits=exits, failed_s=5.0, silent_s={"i-2": 5.0})), Wait)
    step = decide(replace(CALM, exits=exits, failed_s=16.0, silent_s={"i-2": 20.0}))
    assert isinstance(step, Declare)
    assert step.kind == LOST
