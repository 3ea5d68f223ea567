#!/usr/bin/env python3
"""Programs whose Open MPI loads Rondo's component: the same results as without it, and what Rondo
has carried out."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from support import LIBRARY, RANKS, Failures, Report, options, parse, run, run_ranks

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
from document_text import SOURCE, blocks  # noqa: E402

SITE = SOURCE / "docs/site.md"
PROGRAMS = "exec preload component other-component c-program communicators turns settings".split()
SEVERAL = ("forwarded-program", "fortran-program")
COUNTS_OF_RANKS = (1, 2, 3, 5, 8)
PATH = "OMPI_MCA_mca_base_component_path"
C_ROUNDS = 4  # as in exchanges.c
TYPES = 5  # as in communicators.c
FORMS = ("alltoall", "alltoallv", "alltoallw")
SETTING = re.compile(r"^RONDO_(?:TEXT|NUMBER)_SETTING\((\w+), \"(\w+)\"", re.MULTILINE)


def with_component(*command, ranks=RANKS, **variables):
    return run_ranks(options.exec, "--via", "component", *command, ranks=ranks, **variables)


def searched(component):
    """The variable that lets Open MPI find a component."""
    return {PATH: f"SYS_DEFAULT:{component.parent}:USER_DEFAULT"}


def check_listed(failures):
    """ompi_info explains every setting of Rondo as a parameter."""
    ompi_info = shutil.which("ompi_info.openmpi") or shutil.which("ompi_info")
    if ompi_info is None:
        print("SKIP ompi_info: it is not here")
        return
    found = searched(options.component)
    listed = run([ompi_info, "--param", "coll", "rondo", "--level", "9"], **found).stdout
    settings = SETTING.findall(options.settings.read_text(encoding="utf-8"))
    failures.expect(len(settings) > 10, f"{len(settings)} settings")
    for field, variable in settings:
        is_there = f'"coll_rondo_{field}"' in listed and f"(as {variable}," in listed
        failures.expect(is_there, f"ompi_info explains coll_rondo_{field}")
    failures.expect('"coll_rondo_priority"' in listed, "ompi_info explains coll_rondo_priority")


def check_types(failures, ranks):
    """Every form and every pair of types, each counted once."""
    settings = {
        "RONDO_NONBLOCKING": "1",
        "RONDO_FORWARD_CALLS": "0",
        "RONDO_ALLTOALL": "node_aware",
    }
    done = with_component("--stats", options.communicators, "types", ranks=ranks, **settings)
    report = Report(done.stderr)
    failures.expect(done.returncode == 0, f"types on {ranks} ranks", done)
    calls = {call: report.calls(call=call) for call in (*FORMS, *(f"i{form}" for form in FORMS))}
    ours = report.calls(call="alltoall", algorithm="node_aware")
    left = {call: report.unhandled.get(f"MPI_I{call[1:]}", 0) for call in calls if call[0] == "i"}
    totals = {call: number + left.get(call, 0) for call, number in calls.items()}
    expected = dict.fromkeys(calls, TYPES * TYPES * 2 * ranks)
    failures.expect(totals == expected, f"types on {ranks} ranks: {totals}", done)
    failures.expect(ours == calls["alltoall"], f"types on {ranks} ranks: {ours} by Rondo", done)
    starts = sum(left.values())
    failures.expect(starts == 0, f"types on {ranks} ranks: {starts} starts are not Rondo's", done)
    edges = report.calls(call="neighbor_alltoallv")
    failures.expect(edges == TYPES * TYPES * 2 * ranks, f"{edges} calls among neighbours", done)


def check_communicators(failures):
    """They are made and freed, while others exchange and in several threads."""
    rows = [(mode, ranks) for mode in ("freed", "idup", "threads") for ranks in COUNTS_OF_RANKS]
    for mode, ranks in rows:
        for calls in ("0", "4"):
            program = [options.communicators, mode]
            done = with_component("--stats", *program, ranks=ranks, RONDO_FORWARD_CALLS=calls)
            what = f"{mode} on {ranks} ranks after {calls} calls"
            failures.expect(done.returncode == 0 and not done.stdout, what, done)
            report = Report(done.stderr)
            ours = report.calls() - report.calls(algorithm=LIBRARY)
            failures.expect(ours > 0, f"{what}: {ours} calls are Rondo's", done)


def check_many(failures):
    """With a communicator goes all that was made for it: references to other modules, and those of
    requests to it."""
    for calls, communicators in (("8", 10000), ("0", 1000)):
        program = [options.communicators, "many", communicators]
        settings = {"RONDO_FORWARD_CALLS": calls, "RONDO_NONBLOCKING": "1"}
        settings["MALLOC_PERTURB_"] = "165"  # what is freed too early is not what it was
        done = with_component(*program, ranks=2, timeout=300, **settings)
        is_little = done.returncode == 0 and int(done.stdout) < 100
        failures.expect(is_little, f"{communicators} communicators: bytes that each leaves", done)


def check_c(failures):
    """Inter-communicators stay with Open MPI, and nothing is counted twice."""
    plain = run_ranks(options.c_program)
    quiet = with_component(options.c_program)
    failures.expect(quiet.stdout == plain.stdout, "the C program", quiet)
    failures.expect("rondo" not in quiet.stderr, "nothing is printed unasked", quiet)
    done = with_component("--stats", options.c_program)
    report = Report(done.stderr)
    calls = {form: report.calls(call=form) for form in FORMS}
    expected = dict.fromkeys(FORMS, 3 * C_ROUNDS * RANKS)
    failures.expect(done.stdout == plain.stdout and calls == expected, f"counted: {calls}", done)
    expected = {"MPI_Ialltoall": C_ROUNDS * RANKS}
    failures.expect(report.unhandled == expected, f"forwarded: {report.unhandled}", done)
    alone = with_component("--stats", options.c_program, "few")
    of_few = [(line["ranks"], line["calls"]) for line in Report(alone.stderr).lines]
    failures.expect(of_few == [("2", "2")], f"a rank without exchanges reports: {of_few}", alone)


def check_others(failures, program):
    plain = run_ranks(program)
    settings = {"RONDO_FORWARD_CALLS": "0", "RONDO_NONBLOCKING": "1"}
    done = with_component("--stats", program, **settings)
    failures.expect(done.stdout == plain.stdout, f"{program.name}", done)
    report = Report(done.stderr)
    ours = report.calls() - report.calls(algorithm=LIBRARY)
    failures.expect(ours > 0, f"{program.name}: {ours} calls are Rondo's", done)


LOCAL = """
import ctypes
mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_LOCAL)
world = ctypes.byref(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))
byte = ctypes.byref(ctypes.c_char.in_dll(mpi, "ompi_mpi_byte"))
rank = ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
for call in range(20):
    received = ctypes.create_string_buffer(64)
    sent = bytes([65 + rank.value]) * 64
    mpi.MPI_Alltoall(sent, 1, byte, received, 1, byte, world)
if rank.value == 0:
    print(received.value.decode())
mpi.MPI_Finalize()
"""


def check_local_symbols(failures):
    """A program that looks MPI's functions up in its library, whose symbols are local."""
    if run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libmpi.so.40')"]).returncode != 0:
        print("SKIP local symbols: libmpi.so.40 is not where it is searched")
        return
    done = with_component("--stats", sys.executable, "-c", LOCAL)
    calls = Report(done.stderr).calls(call="alltoall")
    is_right = done.stdout == "ABC\n" and calls == 20 * RANKS
    failures.expect(is_right, f"looked up in the library: {calls} calls", done)


def check_ambiguous(failures, program):
    """With two ranks MPI libraries differ in what neighbours on a ring receive: Rondo forwards,
    unless the user names its algorithm. Then all is as MPI 4.0 says, which the program checks."""
    plain = run_ranks(program, ranks=2)
    done = with_component(program, ranks=2, RONDO_FORWARD_CALLS="0")
    is_same = (done.stdout, done.returncode) == (plain.stdout, plain.returncode)
    failures.expect(is_same, f"{program.name} on two ranks", done)
    named = {"RONDO_NEIGHBOR_ALLTOALLV": "node_aware", "RONDO_NONBLOCKING": "1"}
    done = with_component(program, ranks=2, **named)
    failures.expect(done.returncode == 0, f"{program.name}: a named algorithm", done)


def check_off(failures):
    plain = run_ranks(options.c_program)
    rows = (
        {"OMPI_MCA_coll_rondo_priority": "0"},
        {"OMPI_MCA_coll": "^rondo"},
        {"RONDO_DISABLE": "1"},
    )
    for variables in rows:
        done = with_component("--stats", options.c_program, **variables)
        is_plain = done.stdout == plain.stdout and "rondo" not in done.stderr
        failures.expect(is_plain, f"off with {variables}", done)


def check_parameters(failures):
    """A parameter is a setting, and the variable of the environment comes first if it is set."""
    bruck = {"OMPI_MCA_coll_rondo_alltoall": "tunable_bruck:radix=2"}
    rows = (
        (bruck, "tunable_bruck", None),
        ({**bruck, "RONDO_ALLTOALL": "spread_out"}, "spread_out", None),
        ({**bruck, "RONDO_ALLTOALL": ""}, "tunable_bruck", None),
        (
            {"OMPI_MCA_coll_rondo_forward_calls": "0", "RONDO_ALLTOALL": "spread_out"},
            "spread_out",
            0,
        ),
    )
    for variables, algorithm, forwarded in rows:
        settings = {"RONDO_FORWARD_CALLS": None} if forwarded is not None else {}
        done = via_environment(options.c_program, **variables, **settings)
        report = Report(done.stderr)
        names = {line["algorithm"].strip() for line in report.lines if line["call"] == "alltoall"}
        is_it = any(name.startswith(algorithm) for name in names)
        failures.expect(is_it, f"{variables}: {names}", done)
        left = report.calls(call="alltoall", algorithm=LIBRARY)
        failures.expect(forwarded in (None, left), f"{variables}: {left} forwarded", done)
    wrong = via_environment(options.c_program, OMPI_MCA_coll_rondo_alltoall="no_such")
    is_told = wrong.returncode != 0 and "no alltoall algorithm 'no_such'" in wrong.stderr
    failures.expect(is_told, "an algorithm that does not exist", wrong)


def via_environment(program, component=None, **variables):
    """Without rondo-exec, as a site has it: statistics are a parameter, too."""
    settings = {**searched(component or options.component), **variables}
    unset = [word for name, value in settings.items() if value is None for word in ("-u", name)]
    settings = {name: value for name, value in settings.items() if value is not None}
    return run_ranks("env", *unset, program, **settings, OMPI_MCA_coll_rondo_stats="1")


def check_refused(failures, folder):
    plain = run_ranks(options.c_program)
    done = via_environment(options.c_program, options.other_component)
    said = done.stderr.count("rondo: the component is for Open MPI 9.9 and does not take part in")
    is_told = (done.stdout, said) == (plain.stdout, 1) and not Report(done.stderr).lines
    failures.expect(is_told, f"another version: {said} lines", done)

    alone = shutil.copy(options.component, folder)
    done = via_environment(options.c_program, Path(alone))
    said = done.stderr.count("rondo: no part of Rondo")
    is_told = (done.stdout, said) == (plain.stdout, 1)
    failures.expect(is_told, f"without the part: {said} lines", done)

    linked = folder / "linked" / options.component.name
    linked.parent.mkdir()
    linked.symlink_to(options.component)
    done = via_environment(options.c_program, linked)
    failures.expect(Report(done.stderr).lines, "a link to the component", done)

    done = run([options.exec, "--via", "other", options.c_program])
    failures.expect(done.returncode == 2 and "--via needs" in done.stderr, "--via other", done)


def check_site(failures, folder):
    """The lines of the page for sites, in a file of parameters."""
    line = next(text for text in blocks(SITE, "text") if text.startswith("mca_base_component_path"))
    shown = re.search(r":(/[^:]+):", line)[1]
    settings = folder / "mca-params.conf"
    statistics = "coll_rondo_stats = 1\n"
    settings.write_text(line.replace(shown, str(options.component.parent)) + statistics)
    done = run_ranks(options.c_program, OMPI_MCA_mca_base_param_files=str(settings))
    failures.expect(Report(done.stderr).lines, "the line of a site", done)


def check_stays(failures, folder):
    """Open MPI closes its components while its threads run and requests may be left. Ours stays."""
    trace = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(folder / "trace")}
    done = with_component(options.c_program, "few", **trace)
    lines = [line for path in folder.glob("trace.*") for line in path.read_text().splitlines()]
    own = [line for line in lines if options.component.name in line]
    is_loaded = any("calling init" in line for line in own)
    is_gone = any("destroying link map" in line for line in own)
    failures.expect(is_loaded and not is_gone, "the component stays until the end", done)


def check_preloaded(failures):
    """What is preloaded carries the calls out, and the component does not."""
    done = run_ranks(options.exec, "--stats", options.c_program, **searched(options.component))
    report = Report(done.stderr)
    calls = {form: report.calls(call=form) for form in FORMS}
    expected = dict.fromkeys(FORMS, 3 * C_ROUNDS * RANKS)
    failures.expect(calls == expected, f"preloaded, too: {calls}", done)


def check_errors(failures):
    """The handler is called once, whoever has found the error."""
    last = RANKS - 1
    for calls in ("0", "8", "1000"):
        done = with_component(options.communicators, "errors", RONDO_FORWARD_CALLS=calls)
        lines = sorted(done.stdout.splitlines())
        begins = [f"call {call} on rank {last}: " for call in (12, 4)]
        is_once = len(lines) == 2 and all("handled 1 times" in line for line in lines)
        is_right = is_once and all(line.startswith(one) for line, one in zip(lines, begins))
        failures.expect(is_right and done.returncode == 0, f"errors after {calls} calls", done)
    settings = {"RONDO_FORWARD_CALLS": "0", "RONDO_NONBLOCKING": "1", "RONDO_CHECK": "1"}
    done = with_component(options.communicators, "started", **settings)
    once = done.stdout.count(": truncated, handled 1 times as truncated\n")
    is_right = done.returncode == 0 and once == 2 * RANKS  # with RONDO_CHECK, all ranks fail
    failures.expect(is_right, f"errors of nonblocking exchanges: {once}", done)
    done = with_component(options.communicators, "fatal", RONDO_FORWARD_CALLS="0")
    text = f"rondo: rank 0 sends 8 bytes to rank {last}, which expects 4"
    failures.expect(done.returncode != 0 and text in done.stderr, "a fatal error", done)


def check_comparison(failures):
    done = with_component("--ab", options.turns, 64)
    is_right = (done.returncode, done.stdout) == (0, "right\n")
    is_told = re.search(r"^rondo: alltoallv +\d+ ", done.stderr, re.MULTILINE)
    failures.expect(is_right and is_told, "--ab", done)


def main():
    parse(__doc__, *PROGRAMS, several=SEVERAL)
    failures = Failures()
    check_listed(failures)
    for ranks in COUNTS_OF_RANKS:
        check_types(failures, ranks)
    check_communicators(failures)
    check_many(failures)
    check_c(failures)
    for program in [*options.fortran_program, *options.forwarded_program]:
        check_others(failures, program)
    check_ambiguous(failures, options.forwarded_program[-1])
    check_local_symbols(failures)
    check_off(failures)
    check_parameters(failures)
    check_preloaded(failures)
    check_errors(failures)
    check_comparison(failures)
    with tempfile.TemporaryDirectory(prefix="rondo-component-") as folder:
        check_site(failures, Path(folder))
        check_refused(failures, Path(folder))
        check_stays(failures, Path(folder))
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
