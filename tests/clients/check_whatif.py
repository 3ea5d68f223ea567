#!/usr/bin/env python3
"""Compares what `rondo whatif` predicts of real programs with what --ab measures there.

check_whatif.py --folder FOLDER BUILD

BUILD is a build of Rondo for Open MPI, and this Python has the package rondo. Each program is
recorded on 8 ranks of this machine. Its exchanges are predicted on 16 ranks, and on 4 nodes of 8,
which are namespaces (tools/cluster; needs root), as the same problem on more ranks. The machine is
this one, with the prices that tools/compare_here.py measures.

--ab measures whole runs, with an interval, so a prediction is one of the whole run, too. `whatif`
predicts exchanges. What the run there spent outside them is what --ab reports, and waiting is as
long as it was recorded.

Printed is a table, with a row for every program and place. What comes out is kept in
FOLDER/whatif.json, and not measured again.
"""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

import ab_report
import compare_here
import cp2k
import fftw
import hpcc
from ab_places import Where
from mpis import system
from outcome import STATUS_FAILED, STATUS_SKIPPED, Failure, Skip, chosen, parse
from workspace import SOURCE, Workspace

from rondo import record, whatif
from rondo.commands.whatif import Row, sums_of

HERE = Where("8 ranks", 8)
PLACES = (Where("16 ranks", 16), Where("4 x 8 ranks", 32, nodes=4))
HPCC_SIZE = 600
CP2K_STEPS = 1


def fftw_command(*sizes):
    return lambda workspace, _, __: [fftw.compiled(workspace, system(workspace, "openmpi")), *sizes]


def closure_command(graph, vertices):
    def command(workspace, _, __):
        words = ["-O2", "-std=c++17", SOURCE / "tests/clients/closure.cpp"]
        cxx = Path(system(workspace, "openmpi").cc).with_name("mpicxx.openmpi")
        return [workspace.compiled("closure", cxx, *words), graph, vertices]

    return command


def hpcc_command(_, folder, ranks):
    hpcc.write_input(folder, ranks, HPCC_SIZE)
    return [hpcc.program()]


def cp2k_command(_, folder, __):
    return cp2k.command_of(folder, CP2K_STEPS)


PROGRAMS = {
    "FFTW, even planes": fftw_command(64, 64, 32, 300),
    "FFTW, uneven planes": fftw_command(36, 44, 32, 300),
    "FFTW, short blocks": fftw_command(64, 64, 4, 600),
    "closure of a chain": closure_command("chain", 300),
    "closure of a grid": closure_command("grid", 3600),
    "HPCC": hpcc_command,
    "CP2K": cp2k_command,
}
CELLS = [f"{program}, {where.name}" for program in PROGRAMS for where in PLACES]


def run_program(workspace, name, where, *options):
    """The finished process, under rondo-exec with these options."""
    folder = workspace.folder / "whatif" / f"{name}-{where.name}".replace(" ", "-").replace(",", "")
    folder.mkdir(parents=True, exist_ok=True)
    command = PROGRAMS[name](workspace, folder, where.ranks)
    with where.up() as run:
        done = run(workspace, [workspace.exec_path(), *options, *command], folder, 300)
    if done.returncode != 0:
        raise Failure(f"{name} on {where.name}: status {done.returncode}\n{done.stderr[-2000:]}")
    return done


def recorded(workspace, name):
    file = f"{name} {HERE.name}.json".replace(" ", "-").replace(",", "")
    path = workspace.folder / "whatif" / file
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        run_program(workspace, name, HERE, "--record", path)
    return record.read(path)


def machine_there(workspace, where):
    """This machine as the place sees it."""
    layout = compare_here.Layout(where.nodes, where.ranks // where.nodes, 0)
    return compare_here.machine_of(workspace.folder / "prices", layout)


def predicted(workspace, name, where):
    """The seconds of an average rank in exchanges with the library and with Rondo, and waiting."""
    program = recorded(workspace, name)
    machine = machine_there(workspace, where)
    target = whatif.Target(machine, where.ranks, where.ranks // where.nodes, None)
    rows = []
    for exchanges in program.exchanges:
        load = dict(whatif.loads(exchanges, program, target))["strong"]
        rows.append(Row("strong", exchanges, whatif.predict(exchanges, load, target)))
    return sums_of(rows, program.ranks)


def cell(workspace, name, where):
    try:
        sums = predicted(workspace, name, where)
        report = run_program(workspace, name, where, "--ab", "--stats").stderr
    except Skip as reason:
        return {"skipped": str(reason)}
    except (Failure, OSError) as error:
        return {"failed": str(error)}
    outside = ab_report.outside_seconds(report)
    return {"predicted": sums._asdict(), "outside": outside, "ab": ab_report.read(report)}


def line(name, found):
    if "ab" not in found:
        said = found.get("failed") or found["skipped"]
        return f"| {name} | | | | | | {said.splitlines()[0]} | |"
    start = f"| {name} | {found['ab']['exchanges']}"
    figure, interval = found["ab"]["figure"], found["ab"]["interval"]
    if interval is None:
        return f"{start} | | | | | {figure} | |"
    library, rondo, waiting = (found["predicted"][key] for key in ("library", "rondo", "waiting"))
    besides = found["outside"] + waiting
    gain = (besides + library) / (besides + rondo)
    low, high = interval
    inside = "yes" if low <= gain <= high else "no"
    return (
        f"{start} | {besides:.2f} | {library:.2f} | {rondo:.2f} | {gain:.3f} "
        f"| {figure} ({low:.3f}-{high:.3f}) | {inside} |"
    )


def main():
    options = parse(__doc__, "cells").parse_args()
    names = chosen(CELLS, options)
    workspace = Workspace(options.folder, options.builds)
    workspace.require_family("openmpi")
    prices = workspace.folder / "prices"
    compare_here.measure_prices(options.builds[0], prices)
    path = workspace.folder / "whatif.json"
    cells = json.loads(path.read_text()) if path.exists() else {}
    heads = [
        "program, place",
        "exchanges",
        "besides",
        "MPI",
        "Rondo",
        "predicted",
        "`--ab`",
        "inside",
    ]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for program in PROGRAMS:
        for where in PLACES:
            name = f"{program}, {where.name}"
            if name not in names:
                continue
            if name not in cells or "ab" not in cells[name]:
                cells[name] = cell(workspace, program, where)
                path.write_text(json.dumps(cells, indent=1) + "\n")
            print(line(name, cells[name]), flush=True)
    if any("failed" in cells[name] for name in names):
        return STATUS_FAILED
    return 0 if any("ab" in cells[name] for name in names) else STATUS_SKIPPED


if __name__ == "__main__":
    sys.exit(main())
