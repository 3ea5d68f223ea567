"""Compares the local work of rondo-closure on two ranks with that of igraph in one process.

Both find all paths of a graph and hold them, in turn and that several times, so that what else
the machine does meets both. A line is printed for each run: wall time, CPU time, and the peak
memory of its largest process (of our two ranks: of the larger). Reading the graph and starting
Python, or MPI, are in it. The ratios are those of the medians. Python with igraph runs this script;
the graph's vertices are numbers, and it has no comments.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time


def closure_with_igraph(path):
    """The number of paths of at least one edge: a breadth-first search from every vertex."""
    import igraph

    graph = igraph.Graph.Read_Edgelist(path, directed=True)
    vertices = graph.vcount()
    reached = graph.neighborhood(range(vertices), order=vertices, mode="out")
    on_cycle = {
        vertex for part in graph.connected_components("strong") if len(part) > 1 for vertex in part
    }
    on_cycle.update(edge.source for edge in graph.es if edge.source == edge.target)
    return sum(len(found) - 1 for found in reached) + len(on_cycle)


def measured(command):
    """Run it in a process of its own, whose children's use of the machine is counted there."""
    words = [sys.executable, __file__, "--measure", *command]
    return json.loads(subprocess.check_output(words, text=True))


def measure(command):
    start = time.perf_counter()
    said = subprocess.check_output(command, text=True)
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(json.dumps({"said": said, "wall": wall, "cpu": cpu, "peak": peak}))


def compare(arguments):
    ours = [*arguments.mpirun, "-n", "2", arguments.closure, "--format=json", arguments.graph]
    theirs = [sys.executable, __file__, "--igraph", arguments.graph]
    arms = {"rondo-closure": ours, "igraph": theirs}
    runs = {name: [] for name in arms}
    for _ in range(arguments.repeat):
        for name, command in arms.items():
            run = measured(command)
            said = json.loads(run["said"])
            paths = said["paths"] if isinstance(said, dict) else said
            runs[name].append(run)
            print(
                f"{name:14} {paths} paths  wall {run['wall']:.2f} s  CPU {run['cpu']:.2f} s  "
                f"largest process {run['peak']:.0f} MiB",
                flush=True,
            )
    for what in ("wall", "cpu", "peak"):
        ours, theirs = (statistics.median(run[what] for run in runs[name]) for name in arms)
        print(f"{what}: rondo-closure / igraph = {ours / theirs:.2f}")


def main():
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--closure", help="the program rondo-closure")
    parser.add_argument("--mpirun", nargs="+", default=["mpirun"], help="starts ranks")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--igraph", action="store_true", help="only count the paths, with igraph")
    parser.add_argument("graph")
    arguments = parser.parse_args()
    if arguments.igraph:
        print(closure_with_igraph(arguments.graph))
    elif arguments.closure is None:
        parser.error("--closure is needed")
    else:
        compare(arguments)


if __name__ == "__main__":
    main()
