"""Schedules, against the textbook. test_show.py follows every block through them."""

import random

import numpy as np
import pytest

from rondo import schedule

RANKS = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 30]


def bruck_rounds(ranks, radix):
    """By the textbook: digit after digit, the blocks whose digit is z move by z r^x."""
    phases, power = [], 1
    while power < ranks:
        phase = []
        for value in range(1, radix):
            names = [i for i in range(ranks) if i // power % radix == value]
            if names:
                phase.append((value * power, names))
        phases.append(phase)
        power *= radix
    return phases


def rounds_of(made):
    return [[(one.hop, one.blocks.tolist()) for one in phase] for phase in made.phases]


@pytest.mark.parametrize("ranks", RANKS)
def test_bruck_is_the_textbooks(ranks):
    for radix in range(2, ranks + 2):
        made = schedule.bruck(ranks, radix)
        expected = bruck_rounds(ranks, radix)
        assert rounds_of(made) == expected
        assert sum(len(phase) for phase in expected) == made.K == len(made.rounds)
        assert sum(len(names) for phase in expected for _, names in phase) == made.D


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("make", [schedule.linear, schedule.pairwise, schedule.bruck])
def test_flat_schedules_are_right(make, ranks):
    made = make(ranks)
    report = made.check()
    assert report.ok, report.violation
    assert (report.rounds, report.blocks) == (made.K, made.D)


@pytest.mark.parametrize(("nodes", "per_node"), [(1, 5), (5, 1), (2, 4), (3, 5), (4, 4)])
def test_two_layers_are_those_of_each_layer(nodes, per_node):
    for intra, inter in [(2, 2), (2, 3), (per_node + 1, nodes + 1)]:
        made = schedule.two_layer(nodes, per_node, intra, inter)
        inside, between = schedule.bruck(per_node, intra), schedule.bruck(nodes, inter)
        assert made.check().ok
        assert made.K == inside.K + between.K
        assert nodes * inside.D + per_node * between.D == made.D


def test_linear_has_phases_of_a_window():
    assert [len(phase) for phase in schedule.linear(8, window=3).phases] == [3, 3, 1]


def test_blocks_are_arrays_that_outlive_their_schedule():
    names = schedule.bruck(8, 2).rounds[1].blocks
    assert names.dtype == np.int32
    assert names.tolist() == [2, 3, 6, 7]
    with pytest.raises(ValueError, match="read-only"):
        names[0] = 0


@pytest.mark.parametrize("between", ["direct", "bruck"])
@pytest.mark.parametrize("parts", [1, 2])
def test_nodes_of_any_size_and_placement(between, parts):
    node_of = [0] * 3 + [7] * 2 + [4] * 4
    random.Random(parts).shuffle(node_of)
    made = schedule.node_schedule(node_of, between, radix=2, parts=parts)
    report = made.check()
    assert report.ok, report.violation
    assert (made.ranks, made.nodes, made.lanes) == (9, 3, parts)
    for node, number in enumerate(sorted(set(node_of))):
        ranks = [rank for rank, at in enumerate(node_of) if at == number]
        assert made.ranks_of(node) == ranks
        assert sorted(sum((made.senders(node, lane) for lane in range(parts)), [])) == ranks
        for number_of_round in range(made.between.K):
            for lane in range(parts):
                assert made.leader(node, number_of_round, lane) in ranks
    if between == "direct":
        assert report.messages == 3 * 2 * parts


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: schedule.bruck(0, 2), "ranks is 0, must be at least 1"),
        (lambda: schedule.bruck(8, 1), "radix is 1, must be at least 2"),
        (lambda: schedule.linear(8, 0), "window is 0"),
        (lambda: schedule.two_layer(1 << 20, 1 << 20), "too many ranks"),
        (lambda: schedule.bruck(8).add(8, 0), "rank is 8, must be in 0..7"),
        (lambda: schedule.bruck(8).difference(0, -1), "source is -1"),
        (lambda: schedule.node_schedule([]), "there are no ranks"),
        (lambda: schedule.node_schedule([0], "pigeon"), "'pigeon', must be direct or bruck"),
        (lambda: schedule.node_schedule([0, 1]).leader(2, 0), "node 2 does not exist; there are 2"),
        (
            lambda: schedule.node_schedule([0, 1]).leader(0, 1),
            "round 1 does not exist; there are 1",
        ),
        (
            lambda: schedule.node_schedule([0, 1]).senders(0, 1),
            "lane 1 does not exist; there are 1",
        ),
    ],
)
def test_wrong_arguments(call, sentence):
    with pytest.raises(ValueError, match="(?s)" + sentence.replace("..", r"\.\.")):
        call()
