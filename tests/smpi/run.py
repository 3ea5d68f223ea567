#!/usr/bin/env python3
"""The real code with hundreds of ranks, in one process under SimGrid's SMPI.

    run.py --source DIR --build DIR [--all]

DIR is the root of the checkout, and a folder for the executable. Where smpicxx is missing, the
exit code is 77: skipped. Prints "rows: N passed, N failed, N skipped" over all runs.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
SUMMARY = re.compile(r"rows: (\d+) passed, (\d+) failed, (\d+) skipped")
ROOMS = [
    "base",
    "schedule",
    "registry",
    "choice",
    "model",
    "select",
    "transport",
    "watch",
    "mpi",
    "engines",
    "buffers",
    "communicator",
    "exchange",
    "api",
]
# Replaced by engines/node/without_node.cpp, as with RONDO_NODE=OFF. Ranks take turns only in calls
# of MPI here, so a rank that waits for shared memory to change would wait forever.
WITH_NODE = ["src/engines/node/node.cpp", "src/engines/node/opening.cpp"]
TOGETHER = 8  # files that the compiler sees at a time, as in CMake's unity builds
HELPERS = ["calls", "case", "distribution", "image", "layout", "pages", "runner", "types"]

# Ranks, algorithms, whether in the default tier. The rounds of these algorithms grow with log P.
RUNS = [
    (64, ["alltoall/basic_bruck", "alltoall/modified_bruck", "alltoall/zero_rotation_bruck",
          "alltoall/basic_bruck_dt", "alltoall/modified_bruck_dt", "alltoall/zero_copy_bruck_dt",
          "alltoall/tunable_bruck:radix=3", "alltoall/two_layer_bruck:intra=4:inter=3",
          "alltoallv/padded_bruck", "alltoallv/sloav", "alltoallv/two_phase_bruck",
          "alltoallv/two_phase_bruck:radix=5", "alltoallv/fused_bruck",
          "alltoallv/fused_bruck:radix=2:ports=1"], True),
    (256, ["alltoall/zero_rotation_bruck", "alltoall/tunable_bruck:radix=5",
           "alltoall/two_layer_bruck:intra=4:inter=4", "alltoallv/padded_bruck", "alltoallv/sloav",
           "alltoallv/two_phase_bruck", "alltoallv/fused_bruck:radix=5"], True),
    (1000, ["alltoall/tunable_bruck:radix=2", "alltoallv/fused_bruck:radix=2"], True),
    (256, ["alltoall/tunable_bruck", "alltoall/two_layer_bruck", "alltoallv/fused_bruck"], False),
    (1000, ["alltoall/basic_bruck", "alltoall/modified_bruck", "alltoall/zero_rotation_bruck",
            "alltoall/tunable_bruck", "alltoall/two_layer_bruck:intra=4:inter=8",
            "alltoallv/padded_bruck", "alltoallv/sloav", "alltoallv/two_phase_bruck",
            "alltoallv/fused_bruck"], False),
]  # fmt: skip

# CMake defines these elsewhere. No profile is of this version and family.
DEFINITIONS = ["-DFMT_HEADER_ONLY", '-DRONDO_VERSION_TEXT="0.0.0"', '-DRONDO_FAMILY="smpi"']

# Nothing shares the links. Contention changes no byte, but would take most of SimGrid's time.
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="node" suffix="" radical="0-{last}" core="{cores}" speed="1Gf"
           bw="10GBps" lat="1us" sharing_policy="FATPIPE" loopback_bw="10GBps" loopback_lat="0"/>
</platform>
"""


def bundles(build, name, files):
    """Writes files that include TOGETHER of `files` each, which takes a third of the time."""
    found = []
    for first in range(0, len(files), TOGETHER):
        bundle = build / f"{name}_{first // TOGETHER}.cpp"
        included = files[first : first + TOGETHER]
        bundle.write_text("".join(f'#include "{path}"\n' for path in included))
        found.append(bundle)
    return found


def compile_program(source, build, name="exchange"):
    """Compiles the library's sources, the test helpers and NAME.cpp, if any has changed."""
    program = build / f"test_smpi_{name}"
    rooms = {room: sorted((source / "src" / room).rglob("*.cpp")) for room in ROOMS}
    for path in WITH_NODE:
        rooms["engines"].remove(source / path)
    # All of it that without_node.cpp and the watch need.
    rooms["segment"] = [source / "src/segment" / name for name in ("segment.cpp", "ways.cpp")]
    helpers = [source / "tests/mpi/support" / f"{name}.cpp" for name in HELPERS]
    rooms["helpers"] = [*helpers, source / "tests/mpi/devices/memory.cpp"]
    main = source / f"tests/smpi/{name}.cpp"
    folders = [source / name for name in ("include", "src", "tests/mpi", "tests/support")]
    sources = [path for folder in folders for path in folder.rglob("*.*")] + [main]
    if program.exists() and all(path.stat().st_mtime < program.stat().st_mtime for path in sources):
        return program
    files = [main]
    for room, members in rooms.items():
        files += bundles(build, room, members)
    objects = [build / f"{path.stem}.o" for path in files]

    def compile_one(path, target):
        subprocess.run(["smpicxx", "-std=c++20", "-O1", "-fPIC", *DEFINITIONS,
                        *(f"-I{folder}" for folder in folders),
                        "-isystem", source / "third_party/json/include",
                        "-isystem", source / "third_party/fmt/include", "-c", path, "-o", target],
                       check=True)  # fmt: skip

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, files, objects))
    subprocess.run(["smpicxx", *objects, "-o", program], check=True)
    return program


def platform_files(build, ranks):
    return build / f"platform_{ranks}.xml", build / f"hosts_{ranks}.txt"


def write_platform(build, ranks):
    """Nodes of 16 ranks, the last one smaller, with one line per rank in the host file."""
    per_node = 16
    nodes = (ranks + per_node - 1) // per_node
    platform, hosts = platform_files(build, ranks)
    platform.write_text(PLATFORM.format(last=nodes - 1, cores=per_node))
    hosts.write_text("".join(f"node{rank // per_node}\n" for rank in range(ranks)))


def launch(program, build, ranks, words):
    """(passed, failed, skipped) of one run. A run without a summary has failed."""
    platform, hosts = platform_files(build, ranks)
    command = ["smpirun", "-np", str(ranks), "-platform", platform, "-hostfile", hosts,
               "--log=root.thresh:critical", "--cfg=smpi/simulate-computation:no",
               "--cfg=network/crosstraffic:0", "--cfg=contexts/stack-size:512",
               "--cfg=smpi/allgather:bruck", program, *words]  # fmt: skip
    environment = {**os.environ, "RONDO_TEST_TIMEOUT": "600"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    print(done.stdout, end="", flush=True)
    found = SUMMARY.search(done.stdout)
    if found is None or done.returncode != 0:
        print(done.stderr[-4000:])
        return (0, 1, 0) if found is None else tuple(map(int, found.groups()))
    return tuple(map(int, found.groups()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true", help="all runs, not only the default tier")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    missing = [tool for tool in ("smpicxx", "smpirun") if shutil.which(tool) is None]
    if missing:
        print(f"SKIP smpi: SimGrid's {' and '.join(missing)} not found (Debian: libsimgrid-dev)")
        return SKIPPED
    options.build.mkdir(parents=True, exist_ok=True)
    program = compile_program(options.source.resolve(), options.build)
    extra = ["--all"] if options.all else []
    extra += ["--seed", str(options.seed)] if options.seed is not None else []
    runs = [(ranks, algorithms) for ranks, algorithms, is_default in RUNS
            if is_default or options.all]  # fmt: skip
    for ranks in {ranks for ranks, _ in runs}:
        write_platform(options.build, ranks)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = pool.map(lambda run: launch(program, options.build, run[0], [*run[1], *extra]), runs)
        totals = [sum(column) for column in zip(*rows)]
    print("rows: {} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] > 0 or totals[0] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
