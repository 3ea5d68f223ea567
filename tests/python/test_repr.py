"""Every object that a user sees says what it is."""

import inspect
import json

import profile_files
import pytest

from rondo import _core, model, registry, schedule, select, simulate

CLUSTER = model.typical_cluster()
CONTEST = model.Contest(ranks=8, per_node=4)
SLOAV = registry.find("alltoallv", "sloav")
THETA = simulate.machine("theta")
PROFILE = select.parse_profile(json.dumps(profile_files.profile()).encode())
SAID = [
    (schedule.bruck(8), "Schedule(ranks=8, K=3, D=12)"),
    (schedule.bruck(8).rounds[0], "Round(hop=1, 4 blocks)"),
    (
        schedule.bruck(8).check(),
        "Report(ok=True, violation='', rounds=3, blocks=12, in_transit=3)",
    ),
    (schedule.node_schedule([0, 0, 1, 1]), "NodeSchedule(ranks=4, nodes=2, lanes=1)"),
    (
        schedule.node_schedule([0, 0, 1, 1]).check(),
        "NodeReport(ok=True, violation='', rounds=1, messages=2, blocks=8)",
    ),
    (SLOAV, "Algorithm(collective='alltoallv', name='sloav')"),
    (SLOAV.parameters[0], "Parameter(name='threshold', default='off')"),
    (CONTEST, "Contest(ranks=8, per_node=4, collective='alltoallv')"),
    (select.Decisions([4, 4]), "Decisions(ranks=8, nodes=2, measured=False)"),
    (
        select.Decisions([8]).decision("sparse_alltoallv"),
        "Decision(algorithm='node_aware', reason='a fixed rule: ranks of a node share memory')",
    ),
    (select.Signature("An MPI", "one", 2), "Signature(mpi='An MPI', processor='one', cores=2)"),
    (PROFILE.layouts[0], "Measured(ranks=8, nodes=2, per_node=4)"),
    (PROFILE.layouts[0].of("alltoall")[0], "Band(up_to=100, algorithm='tunable_bruck:radix=3')"),
    (
        PROFILE.machine.between.hockney,
        "Hockney(alpha_seconds=3e-06, beta_seconds_per_byte=2e-10)",
    ),
]
# What has many numbers: how it begins, and a part of it.
PARTS = [
    (CLUSTER, "Machine(inside=Link(hockney=Hockney(alpha_seconds=", "host=Host(adapter"),
    (CLUSTER.between, "Link(hockney=", "loggp=LogGP("),
    (CLUSTER.between.loggp, "LogGP(latency_seconds=", "gap_seconds_per_byte="),
    (CLUSTER.host, "Host(adapter_seconds_per_byte=", "cores=64)"),
    (CONTEST.predict("spread_out", 8), "Prediction(spread_out", " s)"),
    (CONTEST.predict("spread_out", 8).cost, "Cost(total=", "agreement=0.0)"),
    (model.Contest(300).crossovers()[0], "Crossover(bytes=", "after=Prediction("),
    (PROFILE, "Profile(rondo='", "layouts=[Measured(ranks=8, nodes=2, per_node=4), "),
    (THETA, "SimulatedMachine(inside=Path(", "waiting=Waiting("),
    (THETA.between, "Path(overhead_seconds=", "eager_bytes="),
    (THETA.adapter, "Adapter(per_node=", "short_seconds_per_byte="),
    (THETA.copying, "Copying(seconds_per_byte=", "seconds_per_size="),
    (THETA.waiting, "Waiting(match_seconds=", "noise_seconds="),
    (simulate.simulate("mpi", 8, 8, 8, THETA, "alltoall"), "Outcome(", "messages=56, ranks=8)"),
]
OPAQUE = {"Prices"}  # has no attributes


@pytest.mark.parametrize(("thing", "text"), SAID, ids=[text for _, text in SAID])
def test_repr(thing, text):
    assert repr(thing) == text


@pytest.mark.parametrize(("thing", "start", "part"), PARTS, ids=[start for _, start, _ in PARTS])
def test_repr_with_many_numbers(thing, start, part):
    said = repr(thing)
    assert said.startswith(start) and part in said and said.endswith(")") and "\n" not in said


def test_no_class_is_left_out():
    classes = {name for name, thing in vars(_core).items() if inspect.isclass(thing)}
    tested = {type(thing).__name__ for thing, *_ in [*SAID, *PARTS]}
    assert classes - OPAQUE == tested
