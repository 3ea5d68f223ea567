#!/usr/bin/env python3
"""Compares what Rondo says of waiting for late ranks with a trace of the same run.

check_waiting.py --folder FOLDER BUILD

BUILD is a build of Rondo for Open MPI. FFTW, a closure and HPCC run on 4 and 8 ranks, with
trace_waiting.c loaded before Rondo. Printed is a table: the share of the time in exchanges that is
waiting by the trace, and that by the record, in which all calls are measured, and by --stats,
which measures a sample. The trace's time includes what measuring takes, so its waiting is divided
by the time that Rondo reports.
"""

import re
import sys
from collections import Counter

from ab_places import Where
from check_whatif import PROGRAMS
from launching import Report
from mpis import system
from outcome import STATUS_FAILED, Failure, chosen, parse
from workspace import SOURCE, Workspace

from rondo import record

RANKS = (4, 8)
NAMES = ("FFTW, even planes", "closure of a chain", "HPCC")
CELLS = [f"{name}, {ranks} ranks" for name in NAMES for ranks in RANKS]
TRACED = re.compile(r"^traced: waited ([\d.]+) of ([\d.]+) s in (\d+) calls$", re.MULTILINE)
WAITING = re.compile(
    r"^rondo: waiting: (?P<call>\w+) on .*?: (?P<percent>[\d.]+) % .* in (?P<calls>\d+) calls",
    re.MULTILINE,
)
NEAR = 0.1


def traced(workspace, name, ranks, variable):
    """The finished process and what the trace says: waiting, time and calls."""
    library = SOURCE / "tests/clients/trace_waiting.c"
    made = workspace.compiled(
        "trace_waiting.so", system(workspace, "openmpi").cc, "-O2", "-shared", "-fPIC", library
    )
    folder = workspace.folder / "waiting"
    folder.mkdir(exist_ok=True)
    # rondo-exec would load Rondo first.
    preloaded = f"LD_PRELOAD={made}:{workspace.prefix / 'lib/rondo/librondo_preload.so'}"
    command = ["env", preloaded, variable, *PROGRAMS[name](workspace, folder, ranks)]
    where = Where(f"{ranks} ranks", ranks)
    with where.up() as run:
        done = run(workspace, command, folder, 300)
    found = TRACED.search(done.stderr)
    if done.returncode != 0 or found is None:
        raise Failure(f"{name}: status {done.returncode}\n{done.stderr[-2000:]}")
    return done, float(found[1]), float(found[2]), int(found[3])


def row(workspace, name, ranks):
    path = workspace.folder / "waiting.json"
    _, waited, _, calls = traced(workspace, name, ranks, f"RONDO_RECORD={path}")
    rows = [one for one in record.read(path).exchanges if one.ranks == ranks]
    seconds = sum(one.seconds for one in rows)
    recorded = sum(one.waited_seconds for one in rows)
    done, sampled_waited, _, _ = traced(workspace, name, ranks, "RONDO_STATS=1")
    reported, sampled = stated(done.stderr)
    return [waited / seconds, recorded / seconds, sampled_waited / reported, sampled, calls]


def stated(stderr):
    """The seconds in exchanges that the statistics report, and the share that is waiting."""
    seconds = Counter()
    for line in Report(stderr).lines:
        seconds[line["call"]] += float(line["seconds"])
    calls, waited = Counter(), Counter()
    for found in WAITING.finditer(stderr):
        calls[found["call"]] += int(found["calls"])
        waited[found["call"]] += int(found["calls"]) * float(found["percent"]) / 100
    total = sum(seconds.values())
    return total, sum(waited[call] / calls[call] * seconds[call] for call in calls) / total


def main():
    options = parse(__doc__, "cells").parse_args()
    names = chosen(CELLS, options)
    workspace = Workspace(options.folder, options.builds)
    workspace.require_family("openmpi")
    print("| program | exchanges | by the trace | `--record` | by the trace | `--stats` |")
    print("| --- | --- | --- | --- | --- | --- |")
    is_near = True
    for name in NAMES:
        for ranks in RANKS:
            if f"{name}, {ranks} ranks" not in names:
                continue
            *shares, calls = row(workspace, name, ranks)
            is_near = is_near and abs(shares[0] - shares[1]) < NEAR
            cells = " | ".join(f"{share:.1%}" for share in shares)
            print(f"| {name}, {ranks} ranks | {calls} | {cells} |", flush=True)
    return 0 if is_near else STATUS_FAILED


if __name__ == "__main__":
    sys.exit(main())
