"""Joins of tables that are spread over ranks; the work on each rank is Arrow's."""

from __future__ import annotations

from typing import Any

from rondo.arrow import _agreement
from rondo.arrow._library import pa
from rondo.arrow._owners import Everyone, Keys, columns_of
from rondo.arrow._ranks import Ranks
from rondo.arrow._shuffle import shuffled
from rondo.arrow._types import Tabular, table_of

# By the side of which every rank has all rows: its own rows of the other side find the rest alone.
_BROADCAST = {
    "left": ("inner", "right outer", "right semi", "right anti"),
    "right": ("inner", "left outer", "left semi", "left anti"),
}


def joined(
    sides: dict[str, tuple[Tabular, Keys]],
    comm: Ranks,
    slice_bytes: int,
    broadcast: str | None,
    options: dict[str, Any],
) -> pa.Table:
    """Join two tables, by the names `left` and `right`. Collective."""
    first, second = ("right", "left") if broadcast == "left" else ("left", "right")
    tables = {}

    def made(side: str) -> pa.Table:
        """The table, without the index of a frame of pandas, as in pandas's own joins."""
        _require_broadcast(broadcast, options.get("join_type", "left outer"))
        table, keys = sides[side]
        rows = table_of(table, [keys] if isinstance(keys, str) else keys)
        columns_of(rows.schema, keys)
        return rows

    if broadcast is None:
        here = shuffled(lambda: made(first), sides[first][1], comm, slice_bytes)
    else:
        here = _agreement.typed(lambda: made(first), comm)

    def rest() -> pa.Table:
        tables[first] = here()
        return made(second)

    by = sides[second][1] if broadcast is None else Everyone()
    tables[second] = shuffled(rest, by, comm, slice_bytes)()
    keys, right_keys = sides["left"][1], sides["right"][1]
    return tables["left"].join(tables["right"], keys, right_keys=right_keys, **options)


def _require_broadcast(side: str | None, kind: str) -> None:
    if side is None:
        return
    if side not in _BROADCAST:
        raise ValueError(f"broadcast must be 'left', 'right' or None, got {side!r}")
    if kind not in _BROADCAST[side]:
        raise ValueError(
            f"a join of type {kind!r} cannot broadcast the {side} table, because several ranks "
            "would find the same rows of it: broadcast the other one, or none"
        )
