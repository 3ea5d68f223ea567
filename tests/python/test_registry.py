"""The table of algorithms, and the examples of the documentation."""

import doctest

import pytest

import rondo
from rondo import model, registry, schedule, select


@pytest.mark.parametrize("module", [model, registry, schedule, select])
def test_examples(module):
    done = doctest.testmod(module)
    assert done.attempted > 0
    assert done.failed == 0


def test_rows_say_what_they_are():
    rows = {(row.collective, row.name): row for row in registry.algorithms()}
    collectives = {collective for collective, _ in rows}
    assert collectives == {"alltoall", "alltoallv", "neighbor_alltoallv"}
    for row in rows.values():
        assert row.idea and row.source and row.cost
        assert all(one.meaning and one.default for one in row.parameters)
    layers = rows["alltoall", "two_layer_bruck"]
    assert [one.name for one in layers.parameters[:2]] == ["intra", "inter"]


@pytest.mark.parametrize(
    "row", registry.algorithms(), ids=lambda row: f"{row.collective}-{row.name}"
)
def test_schedule_of_every_row(row):
    if row.name == "mpi":
        with pytest.raises(ValueError, match="the schedule of mpi is unknown"):
            registry.schedule_of(row.name, 12, 3, row.collective)
        return
    made = registry.schedule_of(row.name, 12, 3, row.collective)
    assert made.ranks == 12
    assert made.check().ok


def test_parameters_reach_the_schedule():
    made = registry.schedule_of("tunable_bruck:radix=3", 9, collective="alltoall")
    assert (made.K, made.D) == (schedule.bruck(9, 3).K, schedule.bruck(9, 3).D)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("pigeon", 8), "no alltoallv algorithm 'pigeon'"),
        (("fused_bruck:radix=1", 8), "must be in 2..2147483647"),
        (("fused_bruck:radix=4294967298", 8), "must be in 2..2147483647"),
        (("fused_bruck", 0), "ranks is 0"),
        (("fused_bruck", 8, 3), "8 ranks do not fill 3 equal nodes"),
        (("fused_bruck", 8, 1, "gather"), "collective is 'gather'"),
    ],
)
def test_wrong_arguments(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        registry.resolved(*arguments)


def test_names_of_the_package():
    assert rondo.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="pigeon"):
        rondo.pigeon  # noqa: B018


def test_the_package_shows_what_is_public_and_nothing_else():
    """Also the exchanges, which need mpi4py once they are used."""
    assert dir(rondo) == sorted(rondo.__all__)
    assert {"alltoallv", "plan", "Results"} <= set(dir(rondo))
