"""rondo whatif."""

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Optional

import typer
from rich.table import Table

from rondo import record, scaling, simulate, whatif
from rondo.commands.machines import Chosen, MachineName, machine_of
from rondo.commands.options import Format, Nodes, RanksPerNode, UsedProfile, check_format, layout_of
from rondo.commands.profiles import number
from rondo.commands.say import console, fail, print_rows
from rondo.commands.status import Status
from rondo.commands.waiting import Rows
from rondo.record import Exchanges, Record
from rondo.whatif import Answer, Target, Time

_SCALED = {
    "recorded": "as recorded",
    "weak": "weak scaling: a rank sends as much as before",
    "strong": "strong scaling: all ranks together send as much as before",
}

_WIDE = 1000  # columns
_WHY_WIDTH = 24
_WHOLE_SECONDS = 0.01  # a longer time is a whole number of microseconds
_HALF, _MOST = 0.5, 0.9  # of the measured calls


class Row(NamedTuple):
    """One exchange of the program, scaled in one way."""

    way: str
    exchanges: Exchanges
    answer: Answer


def predict_elsewhere(
    path: Annotated[
        Path, typer.Argument(metavar="RECORD", help="What `rondo run --record RECORD` wrote.")
    ],
    nodes: Nodes = None,
    ranks_per_node: RanksPerNode = None,
    machine: MachineName = "profile",
    profile: UsedProfile = None,
    format: Format = "table",
) -> None:
    """Predict how long a recorded program's exchanges would take on another machine, and with which
    algorithm.

    Without --nodes and --ranks-per-node they are predicted as they were recorded, and else for that
    many ranks, too: with what a rank sends as before (weak), and with what all ranks send as before
    (strong).
    """
    try:
        check_format(format)
        recorded = record.read(path)
        chosen = machine_of(machine, profile)
        target = _target(chosen, machine, recorded, nodes, ranks_per_node)
    except ValueError as error:
        fail(error)
    if not recorded.exchanges:
        fail(f"{path} has no exchanges: the program made none that Rondo could carry out")
    is_scaled = nodes is not None or ranks_per_node is not None
    tasks = [
        (way, row, load)
        for row in recorded.exchanges
        for way, load in whatif.loads(row, recorded, target)
        if is_scaled or way == "recorded"
    ]
    tasks.reverse()  # the larger ones first, so that the time that is left can be told
    rows: list[Row] = []
    waiting = Rows([way for way, _, _ in tasks], [])
    with suppress(KeyboardInterrupt):
        for way, row, load in tasks:
            with waiting.next(f"{row.collective}, {load.ranks} ranks") as told:
                rows.append(Row(way, row, whatif.predict(row, load, target, told)))
    rows.reverse()
    if rows:
        _SHOWN[format](_Question(chosen.name, _error_text(machine, target), recorded, target), rows)
    if len(rows) < len(tasks):
        fail(f"interrupted after {len(rows)} of {len(tasks)} rows", Status.INTERRUPTED)


class _Question(NamedTuple):
    machine: str
    error: str
    record: Record
    target: Target


def _target(
    chosen: Chosen,
    machine: str,
    recorded: Record,
    nodes: Optional[int],
    ranks_per_node: Optional[int],
) -> Target:
    """Where the program would run; ValueError if that is impossible."""
    known = simulate.calibration(machine) if chosen.is_simplified else None
    error = None if known is None else known.error
    if nodes is None and ranks_per_node is None:
        layout = layout_of(recorded.ranks, None, None, recorded.ranks_per_node)
    elif nodes is None:
        raise ValueError("how many nodes? Give --nodes, too")
    else:
        per_node = chosen.usual_ranks_per_node if ranks_per_node is None else ranks_per_node
        layout = layout_of(None, nodes, per_node)
    return Target(chosen.simulated, layout.ranks, layout.ranks_per_node, error)


def _error_text(machine: str, target: Target) -> str:
    known = None if target.error is None else simulate.calibration(machine)
    if known is None:
        return "nothing compares this machine with measured times, so there are no ranges"
    share = "4 of 5" if known.numbers >= 5 else "all"
    return (
        f"ranges: of {number(known.numbers, 'published number')} that it was not fitted to, "
        f"{share} were within a factor of {1 + known.error:.2f} ({known.source}, {known.date})"
    )


def _show_table(question: _Question, rows: list[Row]) -> None:
    recorded, target = question.record, question.target
    console.print(
        f"{number(recorded.ranks, 'rank')} on {number(recorded.nodes, 'node')} recorded, with "
        f"{recorded.mpi}; predicted for the machine {question.machine}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    console.print(question.error + "\n", highlight=False, markup=False, soft_wrap=True)
    _show_arrivals(recorded, target)
    for way in ("recorded", *scaling.WAYS):
        found = [row for row in rows if row.way == way]
        if not found:
            continue
        ranks, per_node = (
            (recorded.ranks, recorded.ranks_per_node)
            if way == "recorded"
            else (target.ranks, target.ranks_per_node)
        )
        where = f"{number(ranks, 'rank')}, {per_node} a node"
        console.print(f"{_SCALED[way]}; {where}", style="bold", highlight=False)
        _print_whole(_table(found))
        is_whole = len(found) == len(recorded.exchanges)
        end = _sum_text(found, recorded.ranks) + "\n" if is_whole else ""
        console.print(end, highlight=False, markup=False, soft_wrap=True)
    console.print("measure there with:", style="bold")
    for command in _commands(rows, target):
        console.print(f"  {command}", highlight=False, markup=False, soft_wrap=True)


def _show_arrivals(recorded: Record, target: Target) -> None:
    """How far apart the ranks arrived at the exchanges, which nothing here predicts."""
    rows = [row for row in recorded.exchanges if row.arrivals]
    if not rows:
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("exchange", no_wrap=True)
    for heading in ("measured calls", "half within us", "9 of 10 within us", "waiting"):
        table.add_column(heading, justify="right", min_width=len(heading))
    for row in rows:
        table.add_row(
            _name(row),
            str(row.measured_calls),
            *(_microseconds(row.skew_within(share)) for share in (_HALF, _MOST)),
            f"{100 * row.waiting_share:.1f} %",
        )
    console.print("how far apart ranks arrived, as recorded", style="bold", highlight=False)
    _print_whole(table)
    end = _turns_text(recorded, target)
    console.print(end, highlight=False, markup=False, soft_wrap=True)


def _turns_text(recorded: Record, target: Target) -> str:
    """How waiting there differs if ranks share cores here or there."""
    here = max(1.0, recorded.ranks_per_node / recorded.cores)
    there = max(1.0, target.ranks_per_node / target.machine.cores)
    if here == there:
        return ""
    return (
        f"recorded with {here:.3g} ranks a core, predicted with {there:.3g}: ranks that share a "
        f"core take turns, so they wait {'longer' if there > here else 'less'} there than was "
        "recorded\n"
    )


def _print_whole(table: Table) -> None:
    """In lines that are longer than those of the terminal or file, if columns need that."""
    least = console.measure(table, options=console.options.update(width=_WIDE)).minimum
    if least > console.width:
        table.width = least
    console.print(table, crop=False)


def _table(rows: list[Row]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("exchange", no_wrap=True)
    for heading in ("ranks", "S", "calls", "MPI us", "range", "Rondo us", "range", "wait us"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("gain", justify="right", no_wrap=True)
    table.add_column("algorithm", no_wrap=True)
    table.add_column("why", min_width=_WHY_WIDTH)
    for _, row, answer in rows:
        table.add_row(
            _name(row),
            str(answer.load.ranks),
            str(answer.load.longest_bytes),
            f"{_calls(row):.0f}",
            _microseconds(answer.library.seconds),
            _range(answer.library),
            _microseconds(answer.rondo.seconds),
            _range(answer.rondo),
            _microseconds(row.wait_seconds) if row.measured_calls else "?",
            f"{answer.gain:.2f}",
            answer.algorithm,
            answer.reason,
        )
    return table


def _name(row: Exchanges) -> str:
    if row.communicators == 1:
        return f"{row.collective} on {row.communicator}"
    return f"{row.collective} on {row.communicators} like {row.communicator}"


def _calls(row: Exchanges) -> float:
    """Of one of the communicators that are alike."""
    return row.calls / row.communicators


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:.4g}" if seconds < _WHOLE_SECONDS else f"{seconds * 1e6:.0f}"


def _range(time: Time) -> str:
    if time.low_seconds is None or time.high_seconds is None:
        return ""
    return f"{_microseconds(time.low_seconds)}..{_microseconds(time.high_seconds)}"


class Sums(NamedTuple):
    """Seconds of an average rank in all calls of the rows."""

    library: float
    rondo: float
    waiting: float


def sums_of(rows: list[Row], ranks: int) -> Sums:
    """Of rows that are scaled in the same way, of a program that was recorded on that many ranks.

    Of several communicators that are alike a rank is in as many as there are ranks in all of them,
    over all ranks.
    """
    library = rondo = waiting = 0.0
    for _, row, answer in rows:
        calls = row.calls * min(1.0, row.ranks / ranks)
        library += calls * answer.library.seconds
        rondo += calls * answer.rondo.seconds
        waiting += calls * row.wait_seconds
    return Sums(library, rondo, waiting)


def _sum_text(rows: list[Row], ranks: int) -> str:
    sums = sums_of(rows, ranks)
    return (
        f"in all calls an average rank spends {sums.library:.4g} s in the MPI library's exchanges "
        f"or {sums.rondo:.4g} s in Rondo's, and waits {sums.waiting:.4g} s for late ranks, as it "
        "was recorded"
    )


def _commands(rows: list[Row], target: Target) -> Iterator[str]:
    """How the predictions can be checked there: by the program, and by the benchmark."""
    start = f"mpirun -n {target.ranks}"
    yield f"rondo run --ab -- {start} PROGRAM"
    seen = set()
    for _, row, answer in rows:
        load = answer.load
        if load.ranks != target.ranks or load.longest_bytes == 0:
            continue
        words = f"{row.collective} --bytes {load.longest_bytes}"
        if row.collective != "alltoall":
            words += f" --distribution {whatif.distribution_of(row.collective, load)}"
        if words not in seen:
            seen.add(words)
            yield f"{start} rondo-bench {words}"


def _fields(question: _Question, row: Row) -> dict[str, Any]:
    _, exchanges, answer = row
    return {
        "machine": question.machine,
        "scaling": row.way,
        "collective": exchanges.collective,
        "communicator": exchanges.communicator,
        "communicators": exchanges.communicators,
        "ranks": answer.load.ranks,
        "ranks_per_node": answer.load.ranks_per_node,
        "longest_bytes": answer.load.longest_bytes,
        "rank_bytes": answer.load.rank_bytes,
        "distribution": whatif.distribution_of(exchanges.collective, answer.load),
        "calls": exchanges.calls,
        "wait_seconds": exchanges.wait_seconds,
        "skew_p50_seconds": _known(exchanges.skew_within(_HALF)),
        "skew_p90_seconds": _known(exchanges.skew_within(_MOST)),
        "mpi_seconds": answer.library.seconds,
        "mpi_low_seconds": answer.library.low_seconds,
        "mpi_high_seconds": answer.library.high_seconds,
        "rondo_seconds": answer.rondo.seconds,
        "rondo_low_seconds": answer.rondo.low_seconds,
        "rondo_high_seconds": answer.rondo.high_seconds,
        "algorithm": answer.algorithm,
        "reason": answer.reason,
    }


def _known(seconds: float) -> Optional[float]:
    return seconds if math.isfinite(seconds) else None


def _show_json(question: _Question, rows: list[Row]) -> None:
    found = {
        "machine": question.machine,
        "error": question.target.error,
        "ranks": question.target.ranks,
        "ranks_per_node": question.target.ranks_per_node,
        "rows": [_fields(question, row) for row in rows],
        "measure": list(_commands(rows, question.target)),
    }
    typer.echo(json.dumps(found, indent=2))


def _show_csv(question: _Question, rows: list[Row]) -> None:
    print_rows([_fields(question, row) for row in rows], "csv")


_SHOWN = {"table": _show_table, "json": _show_json, "csv": _show_csv}
