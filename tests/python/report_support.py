"""For the tests of `rondo report`: programs that speak as Rondo's do, and recorded measurements.

recorded_rows.json has what rondo-bench wrote, with fewer algorithms than a report has; the command
stands in each row.
"""

import json
import sys
from pathlib import Path

from calling import write_program
from profile_files import layout, profile, write

from rondo.report.clock import Clock
from rondo.report.findings import find
from rondo.report.launch import launch_of
from rondo.report.measure import Plan
from rondo.report.state import Case, State
from rondo.report.topology import Node, Topology
from rondo.results import rows_of

RECORDED = Path(__file__).with_name("recorded_rows.json")

# Starts one process a rank of what needs no MPI, and one that speaks for all ranks of the rest.
LAUNCHER = """#!/bin/sh
if [ "$1" = --version ]; then echo "mpirun (Open MPI) 4.1.4"; exit; fi
while [ "$1" != -n ]; do shift; done
RANKS=$2
export RANKS
shift 2
case "$*" in
  *probe.py) rank=0; while [ $rank -lt $RANKS ]; do "$@" & rank=$((rank + 1)); done; wait ;;
  *) exec "$@" ;;
esac
"""
# Whoever wants it slow, broken or of another MPI library writes so into `how` beside it.
BENCH = """#!{python}
import json, os, pathlib, sys, time
folder = pathlib.Path(__file__).parent
how = json.loads((folder / "how").read_text())
options = dict(zip(sys.argv[2:-1:2], sys.argv[3::2]))
ranks, samples = int(os.environ["RANKS"]), int(options["--iterations"])
with open(folder / "benched", "a") as file:
    print(json.dumps([sys.argv[1], ranks, options, os.environ.get("RONDO_PROFILE")]), file=file)
if ranks in how.get("fails", []):
    sys.exit("rondo-bench: no slots")
print("a launcher talks", flush=True)
blocks, bruck = ("constant", "tunable") if sys.argv[1] == "alltoall" else ("uniform", "two_phase")
times = {{"mpi": 10.0, "spread_out": 20.0, f"{{bruck}}_bruck": 5.0, "auto": 5.0}}
for size in map(int, options["--bytes"].split(",")):
    time.sleep(how.get("seconds", {{}}).get(str(size), 0))
    for name, time_us in times.items():
        series = [round(time_us * (1 + 0.01 * (at * 7 % 5)), 3) for at in range(samples)]
        print(json.dumps({{
            "collective": sys.argv[1], "distribution": blocks, "nodes": 1, "bytes": size,
            "ranks": how.get("sees", ranks), "algorithm": name, "parameters": "",
            "iterations": samples, "median_us": sorted(series)[samples // 2], "speedup": 1.0,
            "low_us": min(series), "high_us": max(series), "samples_us": series,
            "mpi": "Open MPI", "mpi_version": "4.1.4", "rondo": "1.0.0",
        }}), flush=True)
"""
TUNE = """#!{python}
import json, os, pathlib, sys, time
folder = pathlib.Path(__file__).parent
options = dict(zip(sys.argv[1:-1:2], sys.argv[2:-1:2]))
with open(folder / "tuned", "a") as file:
    print(json.dumps([int(os.environ["RANKS"]), options["--budget"]]), file=file)
print(json.dumps({{"done": 0.5, "doing": "alltoallv, S = 1024"}}), flush=True)
time.sleep(json.loads((folder / "how").read_text()).get("tuning", 0))
pathlib.Path(options["--output"]).write_text((folder / "profile.json").read_text())
layout = {{"ranks": int(os.environ["RANKS"]), "nodes": 1}}
print(json.dumps({{"written": options["--output"], "layout": layout}}))
"""


class Silent:
    """Nobody is told how far it is."""

    def doing(self, what):
        pass

    def tick(self):
        pass


def make_programs(folder):
    """A launcher, rondo-bench and rondo-tune."""
    texts = {"mpirun": LAUNCHER, "rondo-mpirun": LAUNCHER, "rondo-bench": BENCH, "rondo-tune": TUNE}
    for name, text in texts.items():
        script = text if text is LAUNCHER else text.format(python=sys.executable)
        write_program(folder / name, script)
    write(folder / "profile.json", one_node_profile())
    behave(folder)


def behave(folder, **how):
    (folder / "how").write_text(json.dumps(how), encoding="utf-8")


def told(folder, name):
    """What a program noted of its calls."""
    path = folder / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def one_node_profile():
    shapes = [
        {"ranks": ranks, "nodes": 1, "per_node": ranks, "uneven_nodes": 0} for ranks in (8, 4, 2)
    ]
    return profile(layouts=[layout(shape, first="two_phase_bruck:radix=3") for shape in shapes])


def plan_of(folder, ranks=8):
    node = Node("node<1>", ranks, "A & B", 4, 2, 1, ["L1 32K", "L2 1024K"], 8 << 30, 4)
    launch = launch_of([str(folder / "mpirun"), "-n", str(ranks)])
    return Plan(launch, Topology([node]), folder / "rondo-bench", folder / "rondo-tune")


def recorded_findings(folder):
    """Of the recorded rows, with nothing measured."""
    state = State(folder, "recorded")
    cases = {}
    for row in rows_of(RECORDED.read_text(encoding="utf-8").splitlines()):
        case = Case(row["collective"], row["ranks"], row["bytes"])
        cases.setdefault(case, []).append(row)
    for case, rows in cases.items():
        state.add(case, rows)
    state.failures["tuning, 4 ranks"] = "the budget was over"
    write(state.profile_path, one_node_profile())
    return find(plan_of(folder), state, Clock(600), Silent())
