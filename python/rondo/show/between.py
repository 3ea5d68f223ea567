"""The picture of a schedule between nodes: for each node its segment, and what arrives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rondo.schedule import NodeSchedule
from rondo.show.follow import Block, Memory, Message, Place, Step, follow_nodes
from rondo.show.picture import (
    Cell,
    Fact,
    Frame,
    Grid,
    Group,
    Note,
    Panel,
    Picture,
    Subject,
    count,
    plural,
)

_LISTED = 4  # messages in a sentence


def node_facts(subject: Subject) -> tuple[Fact, ...]:
    schedule = subject.of_nodes
    rounds = schedule.between.rounds
    sizes = [len(schedule.ranks_of(node)) for node in range(schedule.nodes)]
    # Counted, because to prove it with check() takes too long for many ranks.
    messages = len(rounds) * schedule.nodes * schedule.lanes
    pairs = {name: _pairs(schedule, sizes, name) for name in range(1, schedule.nodes)}
    blocks = sum(pairs[name] for one in rounds for name in one.blocks.tolist())
    lanes = [Fact("", str(schedule.lanes), "lanes")] if schedule.lanes > 1 else []
    return (
        Fact("P", str(schedule.ranks), plural(schedule.ranks, "rank")),
        Fact("N", str(schedule.nodes), plural(schedule.nodes, "node")),
        *lanes,
        Fact("K", str(len(rounds)), f"{plural(len(rounds), 'round')} between nodes"),
        Fact("", str(messages), f"{plural(messages, 'message')} in all"),
        Fact("D", str(blocks), f"{plural(blocks, 'block')} in them"),
    )


def _pairs(schedule: NodeSchedule, sizes: list[int], distance: int) -> int:
    """Blocks between nodes at that distance."""
    to = [schedule.between.add(node, distance) for node in range(schedule.nodes)]
    return sum(size * sizes[node] for size, node in zip(sizes, to))


def node_picture(subject: Subject) -> Picture:
    steps = list(follow_nodes(subject.of_nodes))
    drawing = _Drawing(subject.of_nodes, steps)
    frames = [drawing.frame(number, step) for number, step in enumerate(steps)]
    return Picture(subject, node_facts(subject), drawing.panels(), tuple(frames))


class _Drawing:
    def __init__(self, schedule: NodeSchedule, steps: list[Step]) -> None:
        self.schedule = schedule
        self.ranks_of = [schedule.ranks_of(node) for node in range(schedule.nodes)]
        self.place_of = {
            rank: (node, local)
            for node, ranks in enumerate(self.ranks_of)
            for local, rank in enumerate(ranks)
        }
        self.by_node = [rank for ranks in self.ranks_of for rank in ranks]
        self.transit_rows = self._transit_rows(steps)
        used = {place.memory for step in steps for place in step.places.values()}
        self.memories = [memory for memory in _GRIDS if memory in used]

    def panels(self) -> tuple[Panel, ...]:
        return tuple(
            Panel(
                (Group(f"node {node}", tuple(ranks)),),
                tuple(self._grid(node, memory) for memory in self.memories),
            )
            for node, ranks in enumerate(self.ranks_of)
        )

    def _grid(self, node: int, memory: Memory) -> Grid:
        title, word = _GRIDS[memory]
        if memory == Memory.TRANSIT:
            rows = tuple(map(str, self.transit_rows[node]))
            return Grid(title, word, rows, is_by_rank=False)
        ranks = self._elsewhere(node) if memory == Memory.LANDING else self.by_node
        return Grid(title, word, tuple(map(str, ranks)))

    def _transit_rows(self, steps: list[Step]) -> list[list[int]]:
        """For each node the leader to whom each row belongs."""
        most: Counter[int] = Counter()
        for step in steps:
            most |= _held(step.places)
        return [
            [rank for rank in ranks for _ in range(-(-most[rank] // len(ranks)))]
            for ranks in self.ranks_of
        ]

    def _elsewhere(self, node: int) -> list[int]:
        return [rank for rank in self.by_node if rank not in self.ranks_of[node]]

    def frame(self, number: int, step: Step) -> Frame:
        cells = self._cells(step.places)
        if step.phase is None:
            title, sentence = _COPIES[number > 0]
            return Frame(title, "", sentence, cells, frozenset(), {})
        notes = {one.sender: Note(one.receiver, True) for one in step.messages}
        phases = len(self.schedule.between.phases)
        return Frame(
            title=f"Round {number}",
            phase=f"phase {step.phase + 1}" if phases < self.schedule.between.K else "",
            sentence=_sentence(step.messages),
            cells=cells,
            moved=step.moved,
            notes=notes,
            leaders=frozenset(notes),
        )

    def _cells(self, places: Mapping[Block, Place]) -> dict[Block, Cell]:
        cells = {}
        in_transit: Counter[int] = Counter()
        for block, place in sorted(places.items(), key=lambda item: item[0]):
            cells[block] = self._cell(block, place, in_transit[place.owner])
            in_transit[place.owner] += place.memory == Memory.TRANSIT
        return cells

    def _cell(self, block: Block, place: Place, number: int) -> Cell:
        """`number` is that of the block among those in transit at its leader."""
        grid = self.memories.index(place.memory)
        if place.memory == Memory.LANDING:
            row = self._elsewhere(place.owner).index(block.source)
            return Cell(place.owner, grid, row, self.place_of[block.destination][1])
        panel, column = self.place_of[place.owner]
        if place.memory == Memory.TRANSIT:
            row, column = divmod(number, len(self.ranks_of[panel]))
            return Cell(panel, grid, self.transit_rows[panel].index(place.owner) + row, column)
        other = block.destination if place.memory == Memory.SLOT else block.source
        return Cell(panel, grid, self.by_node.index(other), column)


_GRIDS = {
    Memory.SLOT: ("slots", "to"),
    Memory.TRANSIT: ("in transit", "at"),
    Memory.LANDING: ("landing area", "from"),
    Memory.RECEIVED: ("receive buffers", "from"),
}
# Before the rounds, and after them.
_COPIES = (
    ("Publish", "Every rank fills its slot."),
    ("Copy", "Every rank takes its blocks."),
)


def _held(places: Mapping[Block, Place]) -> Counter[int]:
    """How many blocks are in transit at each leader."""
    return Counter(place.owner for place in places.values() if place.memory == Memory.TRANSIT)


def _sentence(messages: tuple[Message, ...]) -> str:
    listed = ", ".join(f"P{one.sender}\u00a0→\u00a0P{one.receiver}" for one in messages[:_LISTED])
    more = f" and {len(messages) - _LISTED} more" if len(messages) > _LISTED else ""
    sizes = {one.blocks for one in messages}
    each = f" {count(sizes.pop(), 'block')} each" if len(sizes) == 1 else ""
    return f"Leaders carry{each}: {listed}{more}."
