#!/usr/bin/env python3
"""Tools that watch programs, where Open MPI has loaded Rondo's component: MPI_T, Open MPI's own
component that counts, and a profiler before the MPI library."""

import re
import sys

from support import LIBRARY, RANKS, Failures, Report, options, parse, run_ranks

PROGRAMS = "exec c-program tool-interface profiler settings".split()
CALLS = 20  # as in tool_interface.c
SETTING = re.compile(r"^RONDO_(?:TEXT|NUMBER)_SETTING\((\w+),", re.MULTILINE)
OURS = "variable coll_rondo_"
MONITORED = {"OMPI_MCA_pml_monitoring_enable": "1"}
COUNTED = re.compile(r"^counted (\d+)$", re.MULTILINE)


def with_component(*command, **variables):
    via = [options.exec, "--via", "component", "--stats", *command]
    return run_ranks(*via, RONDO_FORWARD_CALLS="0", RONDO_ALLTOALLV="node_aware", **variables)


def expect_all_ours(failures, done, what):
    """Every exchange of the program that looks through MPI_T must be Rondo's."""
    report = Report(done.stderr)
    calls = report.calls(call="alltoallv", algorithm="node_aware")
    others = report.calls() - calls
    is_right = done.returncode == 0 and done.stdout.endswith("right\n") and calls > 0
    failures.expect(is_right and others == 0, f"{what}: {calls} calls, {others} others", done)
    return calls


def check_variables(failures):
    """Rondo's parameters are control variables, and the others are as without Rondo."""
    plain = run_ranks(options.tool_interface)
    failures.expect(plain.stdout.endswith("right\n"), "MPI_T without Rondo", plain)
    done = with_component(options.tool_interface)
    calls = expect_all_ours(failures, done, "MPI_T")
    failures.expect(calls == CALLS * RANKS, f"{calls} calls", done)
    others = [line for line in done.stdout.splitlines() if "coll_rondo" not in line]
    failures.expect(others == plain.stdout.splitlines(), "Open MPI's own variables", done)
    settings = SETTING.findall(options.settings.read_text(encoding="utf-8"))
    missing = [name for name in settings if f"{OURS}{name}\n" not in done.stdout]
    failures.expect(len(settings) > 10 and not missing, f"not among them: {missing}", done)
    done = with_component(options.tool_interface, OMPI_MCA_coll_rondo_profile="none.json")
    is_told = "value coll_rondo_profile none.json\n" in done.stdout
    failures.expect(is_told, "the value of a parameter", done)


def check_monitoring(failures):
    """Open MPI's component that counts collectives comes before Rondo, and sees the calls."""
    plain = run_ranks(options.tool_interface, **MONITORED)
    failures.expect(plain.stdout.endswith("right\n"), "monitoring without Rondo", plain)
    counted = COUNTED.search(plain.stdout)
    if counted is None:
        print("SKIP monitoring: this Open MPI counts no collectives")
        return
    done = with_component(options.tool_interface, **MONITORED)
    expect_all_ours(failures, done, "monitoring")
    number = sum(map(int, COUNTED.findall(done.stdout)))
    failures.expect(int(counted[1]) == CALLS <= number, f"{number} counted with Rondo", done)


def check_profiler(failures):
    """It counts what the program calls, and nothing that Rondo calls."""
    profiled = ["env", f"LD_PRELOAD={options.profiler}"]
    plain = run_ranks(*profiled, options.c_program)
    wanted = re.search(r"^profiler: [1-9]\d* of MPI_Alltoallv, .*$", plain.stderr, re.MULTILINE)
    failures.expect(wanted, "a profiler without Rondo", plain)
    via = [options.exec, "--via", "component", "--stats"]
    done = run_ranks(*profiled, *via, options.c_program, RONDO_FORWARD_CALLS="0")
    is_same = done.stdout == plain.stdout and wanted and wanted[0] in done.stderr
    failures.expect(is_same, "a profiler", done)
    report = Report(done.stderr)
    ours = report.calls(call="alltoallv") - report.calls(call="alltoallv", algorithm=LIBRARY)
    failures.expect(ours > 0, f"a profiler: {ours} calls are Rondo's", done)


def main():
    parse(__doc__, *PROGRAMS)
    failures = Failures()
    check_variables(failures)
    check_monitoring(failures)
    check_profiler(failures)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
