"""Where every block is after every round of a schedule.

Blocks move as the rounds say, whatever made the rounds: a wrong schedule ends in wrong places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from rondo.schedule import NodeSchedule, Round, Schedule


class Block(NamedTuple):
    source: int
    destination: int


class Memory(Enum):
    """Where a block can be."""

    BUFFERS = "of a rank, between the rounds of a flat schedule"
    SLOT = "of a rank, in the segment of its node"
    TRANSIT = "of a leader, between two rounds"
    LANDING = "of a node, in its segment"
    RECEIVED = "of a rank: its receive buffer"


class Place(NamedTuple):
    memory: Memory
    owner: int  # a node of LANDING, else a rank


class Message(NamedTuple):
    sender: int
    receiver: int
    blocks: int


Hops = Mapping[Block, tuple[int, int]]  # sender and receiver


@dataclass(frozen=True)
class Step:
    """Where the blocks are at first, or after a round or a copy, and what brought them there."""

    places: Mapping[Block, Place]
    moved: frozenset[Block] = frozenset()
    messages: tuple[Message, ...] = ()
    round: Round | None = None
    phase: int | None = None


def follow(schedule: Schedule, direction: str) -> Iterator[Step]:
    """Through a flat schedule, upward or downward."""
    lead = schedule.add if direction == "upward" else schedule.subtract
    places = {block: Place(Memory.BUFFERS, block.source) for block in _blocks(schedule.ranks)}
    names = {block: name_of(schedule, direction, block) for block in places}
    yield Step(places)
    for phase, rounds in enumerate(schedule.phases):
        for one in rounds:
            travels = frozenset(one.blocks.tolist())
            senders = {block: places[block].owner for block in places if names[block] in travels}
            hops = {block: (rank, lead(rank, one.hop)) for block, rank in senders.items()}
            arrived = {block: Place(Memory.BUFFERS, to) for block, (_, to) in hops.items()}
            places = {**places, **arrived}
            yield Step(places, frozenset(arrived), _messages(hops), one, phase)


def name_of(schedule: Schedule, direction: str, block: Block) -> int:
    """The name of a block: how far it has to go, upward or downward."""
    if direction == "upward":
        return schedule.difference(block.destination, block.source)
    return schedule.difference(block.source, block.destination)


def follow_nodes(schedule: NodeSchedule) -> Iterator[Step]:
    """Out of the slots, in messages between nodes, and into the receive buffers."""
    walk = _NodeWalk(schedule)
    yield Step(walk.places)
    for phase, rounds in enumerate(schedule.between.phases):
        for one in rounds:
            yield walk.carry(one, phase)
    yield walk.copy()


class _NodeWalk:
    def __init__(self, schedule: NodeSchedule) -> None:
        self.places = {block: Place(Memory.SLOT, block.source) for block in _blocks(schedule.ranks)}
        self._schedule = schedule
        self._rounds = 0
        nodes, lanes = range(schedule.nodes), range(schedule.lanes)
        self._node_of = {rank: node for node in nodes for rank in schedule.ranks_of(node)}
        self._lane_of = {
            rank: lane for node in nodes for lane in lanes for rank in schedule.senders(node, lane)
        }

    def carry(self, one: Round, phase: int) -> Step:
        """Messages from the leaders of every node to those of another one."""
        travels = frozenset(one.blocks.tolist())
        hops = {
            block: self._hop(block, one.hop)
            for block in self.places
            if self._distance(block) in travels
        }
        arrived = {block: self._arrival(block, receiver) for block, (_, receiver) in hops.items()}
        self.places = {**self.places, **arrived}
        self._rounds += 1
        return Step(self.places, frozenset(arrived), _messages(hops), one, phase)

    def copy(self) -> Step:
        """Every rank takes what the segment of its node has for it."""
        received = {
            block: Place(Memory.RECEIVED, block.destination)
            for block, place in self.places.items()
            if place.memory in (Memory.SLOT, Memory.LANDING)
            and self._node_at(place) == self._node_of[block.destination]
        }
        self.places = {**self.places, **received}
        return Step(self.places, frozenset(received))

    def _distance(self, block: Block) -> int:
        return self._schedule.between.difference(
            self._node_of[block.destination], self._node_of[block.source]
        )

    def _hop(self, block: Block, hop: int) -> tuple[int, int]:
        place, lane = self.places[block], self._lane_of[block.source]
        node = self._node_at(place)
        leader = self._schedule.leader(node, self._rounds, lane)
        sender = place.owner if place.memory == Memory.TRANSIT else leader
        to = self._schedule.between.add(node, hop)
        return sender, self._schedule.leader(to, self._rounds, lane)

    def _arrival(self, block: Block, receiver: int) -> Place:
        node = self._node_of[receiver]
        if node == self._node_of[block.destination]:
            return Place(Memory.LANDING, node)
        return Place(Memory.TRANSIT, receiver)

    def _node_at(self, place: Place) -> int:
        return place.owner if place.memory == Memory.LANDING else self._node_of[place.owner]


def _blocks(ranks: int) -> list[Block]:
    return [Block(source, to) for source in range(ranks) for to in range(ranks)]


def _messages(hops: Hops) -> tuple[Message, ...]:
    counts = Counter(hops.values())
    return tuple(Message(*ends, counts[ends]) for ends in sorted(counts))
