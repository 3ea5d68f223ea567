"""The picture of a flat schedule: a column for each rank, a row for each distance.

Whatever the round, a rank holds one block of every distance, so a block stays in its row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rondo.schedule import Round, Schedule
from rondo.show.follow import Step, follow, name_of
from rondo.show.picture import (
    Cell,
    Fact,
    Frame,
    Grid,
    Group,
    Note,
    Panel,
    Picture,
    Sample,
    Subject,
    count,
    plural,
)

_LISTED = 8  # distances in a sentence


def flat_facts(subject: Subject) -> tuple[Fact, ...]:
    schedule = subject.flat
    nodes = [Fact("N", str(subject.nodes), "nodes")] if subject.nodes > 1 else []
    in_transit = schedule.check().in_transit
    transit = f"{plural(in_transit, 'block')} in transit at a rank, at most"
    return (
        Fact("P", str(subject.ranks), plural(subject.ranks, "rank")),
        *nodes,
        Fact("K", str(schedule.K), f"{plural(schedule.K, 'message')} that a rank sends"),
        Fact("D", str(schedule.D), f"{plural(schedule.D, 'block')} in them"),
        Fact("", str(in_transit), transit),
    )


def flat_picture(subject: Subject) -> Picture:
    steps = follow(subject.flat, subject.row.direction)
    grid = _grid(subject)
    panel = Panel(tuple(_groups(subject)), (grid,))
    drawing = _Drawing(subject)
    frames = tuple(drawing.frame(number, step) for number, step in enumerate(steps))
    return Picture(subject, flat_facts(subject), (panel,), frames, _legend(subject, grid))


def _groups(subject: Subject) -> Iterator[Group]:
    per_node = subject.ranks // subject.nodes
    for node in range(subject.nodes):
        title = f"node {node}" if subject.nodes > 1 else ""
        yield Group(title, tuple(range(node * per_node, (node + 1) * per_node)))


def _grid(subject: Subject) -> Grid:
    schedule, per_node = subject.flat, subject.ranks // subject.nodes
    names = range(subject.ranks)
    if _is_torus(schedule, per_node):
        rows = tuple(f"{name // per_node}+{name % per_node}" for name in names)
        return Grid("", "distance", rows)
    return Grid("", "distance", tuple(map(str, names)), _digits(schedule))


def _is_torus(schedule: Schedule, per_node: int) -> bool:
    """Whether the next rank up from the last one of a node is the first one of that node."""
    return 1 < per_node < schedule.ranks and schedule.add(per_node - 1, 1) == 0


def _digits(schedule: Schedule) -> tuple[str, ...]:
    """Of every name, the highest first: the number of its round in each phase, or 0."""
    digits = [[0] * schedule.ranks for _ in schedule.phases]
    for place, rounds in zip(digits, schedule.phases):
        for value, one in enumerate(rounds, start=1):
            for name in one.blocks.tolist():
                place[name] = value
    moves = [sum(value > 0 for value in name) for name in zip(*digits)]
    most = max(map(max, digits), default=0)
    if max(moves, default=0) < 2 or most > 9:  # straight, or digits that have no figure
        return ()
    return tuple("".join(map(str, name)) for name in zip(*reversed(digits)))


def _legend(subject: Subject, grid: Grid) -> tuple[Sample, ...]:
    schedule, last = subject.flat, subject.ranks - 1
    word = "below" if subject.row.direction == "downward" else "above"
    if "+" in grid.rows[last]:
        nodes, ranks = grid.rows[last].split("+")
        where = f"the rank {count(int(nodes), 'node')} and {count(int(ranks), 'rank')} {word}"
    elif subject.ranks > 2 and schedule.add(1, 1) == 0:
        where = f"rank p xor {last} of rank p"
    else:
        where = f"the rank {last} {word}, wrapping around"
    samples = [Sample(grid.rows[last], f"distance: this row has the blocks for {where}")]
    if grid.digits:
        words = "its digits: a round moves the rows in which one digit has one value"
        samples.append(Sample(grid.digits[last], words))
    return tuple(samples)


class _Drawing:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.schedule = subject.flat
        self.phases = len(self.schedule.phases)

    def frame(self, number: int, step: Step) -> Frame:
        cells = {
            block: Cell(
                0, 0, name_of(self.schedule, self.subject.row.direction, block), place.owner
            )
            for block, place in step.places.items()
        }
        if step.phase is None:
            sentence = f"Every rank holds the {count(self.subject.ranks, 'block')} that it sends."
            return Frame("Start", "", sentence, cells, step.moved, {})
        phase = f"phase {step.phase + 1}" if self.phases < self.schedule.K else ""
        digit = self.phases - 1 - step.phase
        sentence = self._sentence(step)
        notes = self._notes(step)
        return Frame(f"Round {number}", phase, sentence, cells, step.moved, notes, digit=digit)

    def _notes(self, step: Step) -> dict[int, Note]:
        node_of = self.subject.node_of
        return {
            one.sender: Note(one.receiver, node_of(one.sender) != node_of(one.receiver))
            for one in step.messages
        }

    def _sentence(self, step: Step) -> str:
        blocks = count(step.messages[0].blocks, "block")
        sentence = f"Every rank sends {blocks} {self._receiver(step)}."
        if self.subject.nodes > 1 and not sentence.endswith("on its node."):
            sentence += f" {self._leaving(step)}"
        if all(place.owner == block.destination for block, place in step.places.items()):
            sentence += " Now every rank holds what is for it."
        return sentence

    def _leaving(self, step: Step) -> str:
        leaving = sum(note.leaves_node for note in self._notes(step).values())
        if leaving == 0:
            return "All messages stay on their nodes."
        if leaving == len(step.messages):
            return "All messages leave their nodes."
        return f"{leaving} of {len(step.messages)} messages leave their nodes."

    def _receiver(self, step: Step) -> str:
        ranks, per_node = self.subject.ranks, self.subject.ranks // self.subject.nodes
        down = self.subject.row.direction == "downward"
        ends = [(one.sender, one.receiver) for one in step.messages]
        shifts = {(a - b if down else b - a) % ranks for a, b in ends}
        word = "below" if down else "above"
        if len(shifts) == 1:
            return f"to the rank {shifts.pop()} {word} it"
        inside = {(a - b if down else b - a) % per_node for a, b in ends}
        if len(inside) == 1 and all(a // per_node == b // per_node for a, b in ends):
            return f"to the rank {inside.pop()} {word} it on its node"
        return "to its partner" if {(b, a) for a, b in ends} == set(ends) else "to another rank"


def distances(one: Round) -> str:
    """The names of a round's blocks, runs of them as their ends."""
    return _listed(_runs(one.blocks.tolist()))


def _runs(names: Sequence[int]) -> list[str]:
    runs: list[list[int]] = []
    for name in names:
        if runs and runs[-1][-1] == name - 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]


def _listed(words: list[str]) -> str:
    if len(words) <= _LISTED:
        return ", ".join(words)
    return ", ".join([*words[: _LISTED - 2], "…", words[-1]])
