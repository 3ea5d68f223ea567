"""The rounds of a schedule for programs, of any number of ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rondo.schedule import NodeSchedule, Schedule


def round_rows(schedule: Schedule | NodeSchedule) -> list[dict[str, Any]]:
    """A row for each round; between nodes, one for each round and lane."""
    if isinstance(schedule, NodeSchedule):
        return list(_between_nodes(schedule))
    return list(_flat(schedule))


def _flat(schedule: Schedule) -> Iterator[dict[str, Any]]:
    number = 0
    for phase, together in enumerate(schedule.phases, start=1):
        for one in together:
            number += 1
            yield {
                "phase": phase,
                "round": number,
                "hop": one.hop,
                "blocks": len(one.blocks),
                "distances": " ".join(map(str, one.blocks.tolist())),
            }


def _between_nodes(schedule: NodeSchedule) -> Iterator[dict[str, Any]]:
    number = 0
    for phase, together in enumerate(schedule.between.phases, start=1):
        for one in together:
            for lane in range(schedule.lanes):
                leaders = [schedule.leader(node, number, lane) for node in range(schedule.nodes)]
                yield {
                    "phase": phase,
                    "round": number + 1,
                    "lane": lane,
                    "nodes_on": one.hop,
                    "leaders": " ".join(map(str, leaders)),
                }
            number += 1
