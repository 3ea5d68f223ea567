"""What `rondo show` draws, against the schedule that it is drawn from."""

import json
import random
import re
import sys
from collections import Counter
from itertools import combinations
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from document_text import SOURCE
from rich.console import Console

from rondo import registry, schedule
from rondo.show import facts_of, picture_of, subject_of, terminal
from rondo.show.follow import Block, Memory, follow, follow_nodes
from rondo.show.page import page
from rondo.show.palette import colours, contrast
from rondo.show.sheet import sheet

sys.path.insert(0, str(SOURCE / "tools"))
import figures  # noqa: E402

RANKS = [*range(1, 21), 27, 30, 32, 33]
ALGORITHMS = sorted({row.name for row in registry.algorithms() if row.name != "mpi"})


def is_delivered(step):
    """Whether every rank holds exactly the blocks that are for it: one from each rank."""
    held = Counter((place.owner, block.source) for block, place in step.places.items())
    ranks = {block.source for block in step.places}
    ends = all(block.destination == place.owner for block, place in step.places.items())
    return ends and held == Counter((owner, source) for owner in ranks for source in ranks)


def check_flat(made, direction):
    steps = list(follow(made, direction))
    assert [is_delivered(step) for step in steps[:-1]] == [False] * (len(steps) - 1)
    assert is_delivered(steps[-1])
    sent = Counter()
    for step in steps[1:]:
        ranks = set(range(made.ranks))
        assert {one.sender for one in step.messages} == ranks
        assert {one.receiver for one in step.messages} == ranks
        assert {one.blocks for one in step.messages} == {len(step.round.blocks)}
        sent.update({one.sender: one.blocks for one in step.messages})
    assert len(steps) - 1 == made.K
    assert set(sent.values()) == ({made.D} if made.K else set())


@pytest.mark.parametrize("direction", ["upward", "downward"])
@pytest.mark.parametrize("ranks", RANKS)
def test_bruck_ends_where_it_should(ranks, direction):
    for radix in range(2, max(ranks, 2) + 2):
        check_flat(schedule.bruck(ranks, radix), direction)


@pytest.mark.parametrize("direction", ["upward", "downward"])
@pytest.mark.parametrize("make", [schedule.linear, schedule.pairwise])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 30])
def test_straight_schedules_end_where_they_should(make, ranks, direction):
    check_flat(make(ranks), direction)


@pytest.mark.parametrize(("nodes", "per_node"), [(1, 5), (5, 1), (2, 4), (3, 5), (4, 4), (8, 3)])
def test_two_layers_end_where_they_should(nodes, per_node):
    for intra in range(2, per_node + 2):
        for inter in range(2, nodes + 2):
            check_flat(schedule.two_layer(nodes, per_node, intra, inter), "upward")


def test_a_schedule_that_lacks_a_phase_does_not_end_where_it_should():
    made = schedule.bruck(12, 3)
    spoiled = SimpleNamespace(
        ranks=made.ranks, phases=made.phases[:-1], add=made.add, difference=made.difference
    )
    *_, last = follow(spoiled, "upward")
    assert not is_delivered(last)


@pytest.mark.parametrize("between", ["direct", "bruck"])
@pytest.mark.parametrize("seed", range(12))
def test_schedules_between_nodes_end_where_they_should(between, seed):
    chance = random.Random(seed)
    sizes = [chance.randint(1, 5) for _ in range(chance.randint(1, 6))]
    node_of = [node for node, size in enumerate(sizes) for _ in range(size)]
    chance.shuffle(node_of)
    radix, parts = chance.randint(2, 4), chance.randint(1, 3)
    made = schedule.node_schedule(node_of, between, radix, parts)
    steps = list(follow_nodes(made))
    assert not is_delivered(steps[-2]) or len(node_of) == 1
    assert is_delivered(steps[-1])
    assert {place.memory for place in steps[-1].places.values()} == {Memory.RECEIVED}
    report = made.check()
    assert sum(len(step.messages) for step in steps) == report.messages
    assert sum(one.blocks for step in steps for one in step.messages) == report.blocks
    check_leaders(made, steps[1:-1])


def test_a_schedule_between_nodes_that_lacks_a_round_does_not_end_where_it_should():
    made = schedule.node_schedule([0, 0, 1, 1, 2, 2])
    between = made.between
    (rounds,) = between.phases
    spoiled = SimpleNamespace(
        ranks=made.ranks,
        nodes=made.nodes,
        lanes=made.lanes,
        ranks_of=made.ranks_of,
        senders=made.senders,
        leader=made.leader,
        between=SimpleNamespace(
            phases=[rounds[:-1]], add=between.add, difference=between.difference
        ),
    )
    *_, last = follow_nodes(spoiled)
    assert not is_delivered(last)


def check_leaders(made, rounds):
    for number, step in enumerate(rounds):
        leaders = {
            made.leader(node, number, lane)
            for node in range(made.nodes)
            for lane in range(made.lanes)
        }
        assert {one.sender for one in step.messages} == leaders
        assert {one.receiver for one in step.messages} == leaders


def drawn(algorithm, ranks, nodes=1):
    return picture_of(subject_of(algorithm, ranks, nodes))


@pytest.mark.parametrize("nodes", [1, 2, 3])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_can_be_drawn(algorithm, nodes):
    picture = drawn(algorithm, 6, nodes)
    for frame in picture.frames:
        assert set(frame.cells) == {Block(i, k) for i in range(6) for k in range(6)}
        assert len(set(frame.cells.values())) == 36
        for cell in frame.cells.values():
            panel = picture.panels[cell.panel]
            assert 0 <= cell.row < len(panel.grids[cell.grid].rows)
            assert 0 <= cell.column < len(panel.ranks)
    ElementTree.fromstring(sheet(picture))
    assert page(picture).startswith("<!DOCTYPE html>")


def rank_at(picture, frame, block):
    cell = frame.cells[block]
    return picture.panels[cell.panel].ranks[cell.column]


@pytest.mark.parametrize(
    ("algorithm", "nodes"),
    [("two_phase_bruck:radix=3", 1), ("two_layer_bruck", 3), ("node_aware:parts=2", 3)],
)
def test_in_the_end_every_column_has_the_blocks_of_its_rank(algorithm, nodes):
    picture = drawn(algorithm, 12, nodes)
    first, last = picture.frames[0], picture.frames[-1]
    for block in picture.blocks:
        assert rank_at(picture, first, block) == block.source
        assert rank_at(picture, last, block) == block.destination


def test_two_phase_bruck_goes_downward_as_in_its_paper():
    """HPDC 2022, figure 5: in the first step process 1 sends blocks 0 and 2 to process 0."""
    frame = drawn("two_phase_bruck", 4).frames[1]
    assert frame.notes[1].receiver == 0
    assert {block for block in frame.moved if block.source == 1} == {Block(1, 0), Block(1, 2)}


def test_two_layers_leave_their_nodes_only_in_the_last_round():
    """TRA paper, figure 5, of the first node: 7 messages of TRA leave it, and 4 of TRA2."""

    def leaving(algorithm):
        frames = drawn(algorithm, 8, nodes=2).frames[1:]
        return [sum(frame.notes[rank].leaves_node for rank in range(4)) for frame in frames]

    assert leaving("tunable_bruck:radix=2") == [1, 2, 4]
    assert leaving("two_layer_bruck:intra=2") == [0, 0, 4]


def test_digits_are_those_of_the_distance():
    """TRA paper, figure 3: P = 11 in base 3."""
    (panel,) = drawn("tunable_bruck:radix=3", 11).panels
    (grid,) = panel.grids
    digits = [f"{name // 9}{name // 3 % 3}{name % 3}" for name in range(11)]
    assert list(grid.digits) == digits


def test_facts_are_those_of_the_schedule():
    made = schedule.bruck(8, 3)
    facts = {fact.symbol: fact.value for fact in facts_of(subject_of("fused_bruck:radix=3", 8))}
    assert (facts["P"], facts["K"], facts["D"]) == ("8", str(made.K), str(made.D))
    subject = subject_of("node_aware:parts=2", 12, 3)
    report = subject.schedule.check()
    told = {fact.meaning: fact.value for fact in facts_of(subject)}
    assert told["rounds between nodes"] == str(report.rounds)
    assert told["messages in all"] == str(report.messages)
    assert told["blocks in them"] == str(report.blocks)


def texts(svg):
    return ["".join(one.itertext()) for one in ElementTree.fromstring(svg).iter() if is_text(one)]


def is_text(element):
    return element.tag.endswith("}text")


def test_a_sheet_has_every_block_of_every_frame():
    picture = drawn("two_phase_bruck", 8)
    counted = Counter(text for text in texts(sheet(picture)) if "→" in text and "P" not in text)
    counted["0→7"] -= 1  # in the legend
    assert set(counted.values()) == {len(picture.frames)}
    assert len(counted) == 64
    for word in ("two_phase_bruck", "K = 3", "D = 12", "Round 3", "moved in this round"):
        assert word in texts(sheet(picture))


def test_a_sheet_is_not_larger_than_anybody_can_look_at():
    with pytest.raises(ValueError, match="take --format html"):
        sheet(drawn("spread_out", 32))


def test_a_page_needs_nothing_besides_itself():
    text = page(drawn("node_aware", 8, 2))
    assert not re.search(r"https?:|<link|<img|src=|@import|url\(", text)
    data = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.S)
    frames = json.loads(data[1])["frames"]
    assert [frame["title"] for frame in frames] == ["Publish", "Round 1", "Copy"]
    assert all(len(set(frame["places"])) == 64 for frame in frames)


def plain(picture):
    """What a terminal without colours shows of the frames."""
    console = Console(width=400, color_system=None)
    with console.capture() as captured:
        console.print(terminal.Drawing(picture).frames())
    return captured.get()


def test_a_terminal_can_be_read_without_colours():
    picture = drawn("two_phase_bruck", 8)
    text = plain(picture)
    assert text.count("→") == sum(len(one.moved) + len(one.notes) for one in picture.frames)
    signs = Counter(re.findall(r"\d[→·]\d", text))
    for source, destination in picture.blocks:
        names = [f"{source}{sign}{destination}" for sign in "→·"]
        assert sum(signs[name] for name in names) == len(picture.frames)


@pytest.mark.parametrize(
    ("ranks", "nodes"),
    [(1, 1), (8, 1), (8, 8), (9, 1), (9, 9), (16, 2), (32, 1), (32, 4), (32, 16)],
)
def test_labels_can_be_read_on_their_colours(ranks, nodes):
    made = colours([rank * nodes // ranks for rank in range(ranks)])
    assert len({one.fill for one in made}) == ranks
    assert min(contrast(one.fill, one.ink) for one in made) >= 4.5


# How a colour looks with one kind of cone missing, in linear RGB: Machado, Oliveira and Fernandes
# 2009, table 1, severity 1.
VISIONS = {
    "protan": """ 0.152286  1.052583 -0.204868
                  0.114503  0.786281  0.099216
                 -0.003882 -0.048116  1.051998""",
    "deutan": """ 0.367322  0.860646 -0.227968
                  0.280085  0.672501  0.047413
                 -0.011820  0.042940  0.968881""",
    "tritan": """ 1.255528 -0.076749 -0.178779
                 -0.078411  0.930809  0.147602
                  0.004733  0.691367  0.303900""",
}


def lab(fill, vision):
    """CIE L*a*b* under D65, as it is seen."""
    matrix = [list(map(float, row.split())) for row in VISIONS[vision].splitlines()]
    values = [int(fill[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    r, g, b = (min(max(sum(m * v for m, v in zip(row, linear)), 0), 1) for row in matrix)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.0891
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("vision", VISIONS)
def test_destinations_differ_with_any_colour_vision(vision):
    """Six times the difference that is just noticed, 2.3."""
    seen = [lab(one.fill, vision) for one in colours([0] * 8)]
    assert (
        min(sum((p - q) ** 2 for p, q in zip(a, b)) ** 0.5 for a, b in combinations(seen, 2)) > 13.8
    )


@pytest.mark.parametrize("name", figures.FIGURES)
def test_figures_of_the_documents_are_up_to_date(name):
    """Or else: make figures."""
    algorithm, _, ranks, *rest = figures.FIGURES[name]
    nodes = int(rest[1]) if rest else 1
    drawing = sheet(drawn(algorithm, int(ranks), nodes))
    assert (figures.FOLDER / name).read_text(encoding="utf-8") == drawing
