#!/usr/bin/env python3
"""rondo-exec on one process: what it refuses, what it runs without Rondo, what it sets; and what
the preload library looks like from outside."""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from support import Failures, options, parse, run

WRONG_USE = 2
CANNOT_START = 3
WITHOUT_RONDO = "running it without Rondo"
FAMILIES = {
    "libmpi_abi.so.1": "abi",
    "libmpi_abi.so.0": "abi",
    "libmpi.so.40": "openmpi",
    "libmpich.so.12": "mpich",
    "libmpi.so.12": "mpich",
}


PROGRAMS = "exec preload part mpi-program dynamic-program linked-to-two map-library".split()


def script(folder, name, text, mode=0o755):
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return path


def check_refused(failures, folder):
    hidden = script(folder, "hidden", "#!/bin/sh\n", 0o644)
    launcher = script(folder, "mpirun.of_somebody", "#!/bin/sh\n")
    rows = [
        (WRONG_USE, [], "no program given"),
        (WRONG_USE, ["--no-such-option"], "is not an option"),
        (WRONG_USE, ["--record"], "needs the name of a file"),
        (WRONG_USE, ["--profile"], "needs the name of a file"),
        (WRONG_USE, ["--watch"], "--watch needs a time, as in 60s"),
        (WRONG_USE, ["--watch", "soon"], "--watch needs a time, as in 60s"),
        (WRONG_USE, ["--algorithm"], "--algorithm needs a name"),
        (WRONG_USE, ["--algorithm", "no_such"], "no alltoallv algorithm 'no_such'"),
        (WRONG_USE, ["--algorithm", "tunable_bruck:radix=0"], "radix"),
        (CANNOT_START, ["/no/such/program"], "/program cannot be started: No such file"),
        (CANNOT_START, ["no_such_program"], "no_such_program cannot be started: No such file"),
        (CANNOT_START, [hidden], "hidden cannot be started: Permission denied"),
        (CANNOT_START, [launcher], "is a launcher"),
    ]
    for status, arguments, words in rows:
        done = run([options.exec, *arguments])
        is_refused = done.returncode == status and words in done.stderr
        is_one_line = done.stderr.count("\n") == 1 and done.stdout == ""
        failures.expect(is_refused and is_one_line, f"{arguments} is refused: {words}", done)


def check_run_without(failures, folder):
    shell = script(folder, "job.sh", "#!/usr/bin/env -S sh\necho unharmed $LD_PRELOAD; exit 7\n")
    rows = [
        (options.dynamic_program, 0, "is not linked to an MPI library"),
        (shell, 7, "is a shell script"),
        (["env", "A=1", options.dynamic_program], 0, "is not linked to an MPI library"),
    ]
    if options.static_program:
        rows.append((options.static_program, 0, "is linked statically"))
    for given, code, words in rows:
        program = given if isinstance(given, list) else [given]
        done = run([options.exec, "--stats", *program])
        is_said = words in done.stderr and WITHOUT_RONDO in done.stderr
        is_whole = done.returncode == code and done.stdout == "unharmed\n"
        is_one_line = done.stderr.count("\n") == 1
        failures.expect(is_said and is_whole and is_one_line, f"{program} runs: {words}", done)
        later = run([options.exec, *program], PMI_RANK="3")
        failures.expect(later.stderr == "", f"{program}: one rank speaks for all", later)


def check_no_programs(failures, folder):
    """What the system does not start: a program that is cut off after its header, whose tables
    would lie behind the end, one with another dynamic linker, text, a folder, and a script whose
    interpreter is not there."""
    whole = options.mpi_program.read_bytes()
    contents = {f"head{length}": whole[:length] for length in (4, 63, 64, 100)}
    contents["other"] = re.sub(rb"(/ld[-\w.]*\.so\.)\d", rb"\g<1>9", whole)
    contents["text"] = b"neither program nor script\n"
    contents["orphan"] = b"#!/no/such/interpreter\n"
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o755)
    for path in (folder, *(folder / name for name in contents)):
        done = run([options.exec, path])
        is_said = f"{path} is linked statically, or is for another machine" in done.stderr
        is_refused = done.returncode == CANNOT_START and f"{path} cannot be started" in done.stderr
        failures.expect(is_said and is_refused, f"{path} is no program", done)


def check_missing_part(failures, folder):
    """An installation for another family than the program's."""
    (folder / "bin").mkdir()
    (folder / "lib/rondo").mkdir(parents=True)
    alone = Path(shutil.copy(options.exec, folder / "bin"))
    shutil.copy(options.preload, folder / "lib/rondo")
    done = run([alone, options.mpi_program, "no-ranks"], timeout=60)
    words = "but Rondo for that family is not installed"
    failures.expect(words in done.stderr and WITHOUT_RONDO in done.stderr, words, done)


def check_families(failures, folder):
    """A program's family is that of the soname that it is linked to."""
    (folder / "bin").mkdir(parents=True)
    rondo_exec = Path(shutil.copy(options.exec, folder / "bin"))
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("valgrind is not here: skipping rondo-exec under it")
    for program in options.linked_program:
        soname = program.name.partition("linked_to_")[2]
        family = FAMILIES[soname]
        shutil.rmtree(folder / "lib", ignore_errors=True)
        part = folder / "lib/rondo" / family / "librondo_dropin.so"
        part.parent.mkdir(parents=True)
        shutil.copy(options.preload, folder / "lib/rondo")
        done = run([rondo_exec, program])
        words = f"linked to {soname}, but Rondo for that family is not installed in {part.parent}"
        failures.expect(words in done.stderr and WITHOUT_RONDO in done.stderr, words, done)
        part.touch()
        link = folder / program.name  # the program finds its library from where it is itself
        link.symlink_to(program)
        for path in (program, link):
            done = run([rondo_exec, path])
            is_preloaded = (done.returncode, done.stderr) == (0, "")
            failures.expect(is_preloaded, f"{path} runs with the part for {family}", done)
        if valgrind and family == "openmpi":
            done = run([valgrind, "-q", "--trace-children=yes", rondo_exec, program])
            failures.expect(WITHOUT_RONDO not in done.stderr, f"{program.name} in valgrind", done)
        check_component(failures, rondo_exec, program, family)


def check_component(failures, rondo_exec, program, family):
    """Only Open MPI loads a component, which is there or not."""
    command = [rondo_exec, "--via", "component"]
    done = run([*command, program])
    is_ours = family == "openmpi"
    words = "needs Open MPI's component, which is not in" if is_ours else "only Open MPI loads"
    failures.expect(words in done.stderr and WITHOUT_RONDO in done.stderr, words, done)
    if not is_ours:
        return
    component = rondo_exec.parent.parent / "lib/rondo/openmpi/4.1/mca_coll_rondo.so"
    component.parent.mkdir()
    component.touch()
    done = run([*command, program])
    failures.expect((done.returncode, done.stderr) == (0, ""), "with a component", done)
    show = "import os; print(os.environ['OMPI_MCA_mca_base_component_path'])"
    for others in ({}, {"OMPI_MCA_mca_base_component_path": "/a:/b"}):
        done = run([*command, sys.executable, "-c", show], **others)
        folder = component.parent
        expected = f"/a:/b:{folder}\n" if others else f"SYS_DEFAULT:{folder}:USER_DEFAULT\n"
        failures.expect(done.stdout == expected, f"Open MPI searches {expected}", done)


def check_two_families(failures):
    """A program calls the first of two MPI libraries that it is linked to."""
    done = run([options.exec, options.linked_to_two])
    part = options.part.parent.parent / "mpich" / options.part.name
    words = "" if part.exists() else "is linked to libmpich.so.12, but Rondo for that family"
    is_first = words in done.stderr and "libmpi.so.40" not in done.stderr
    failures.expect(is_first, "the first of two MPI libraries", done)


def check_environment(failures, folder):
    """The environment of a program that runs with Rondo: Python, which may load an MPI library."""
    names = ["LD_PRELOAD", "RONDO_STATS", "RONDO_AB", "RONDO_RECORD"]
    show = f"import os; print(*(os.environ.get(name) for name in {names}))"
    words = ["--stats", "--ab", "--record", "my file", sys.executable, "-c", show, "-c"]
    done = run([options.exec, *words])
    expected = f"{options.preload} 1 1 {Path.cwd() / 'my file'}\n"
    failures.expect((done.stdout, done.stderr) == (expected, ""), "Python is run with Rondo", done)
    done = run([options.exec, sys.executable, "-c", show], LD_PRELOAD="libdl.so.2")
    expected = f"{options.preload}:libdl.so.2 None None None\n"
    failures.expect(done.stdout == expected, "what is preloaded already stays", done)
    for name in ("libasan.so.8", "libclang_rt.asan-x86_64.so"):
        sanitizer = shutil.copy(options.map_library, folder / name)
        done = run([options.exec, sys.executable, "-c", show], LD_PRELOAD=str(sanitizer))
        expected = f"{sanitizer}:{options.preload}:{sanitizer} None None None\n"
        failures.expect(done.stdout == expected, f"{name} stays the first", done)


def check_profile(failures, folder):
    """A program gets the absolute path of a profile."""
    show = "import os; print(os.environ.get('RONDO_PROFILE'))"
    profile = folder / "profile.json"
    short = os.path.relpath(profile)
    done = run([options.exec, "--profile", short, sys.executable, "-c", show])
    got = (done.stdout, done.stderr)
    failures.expect(got == (f"{profile}\n", ""), f"the profile {short}", done)


def check_without_mpi(failures):
    done = run([options.dynamic_program], LD_PRELOAD=options.preload, RONDO_STATS="1")
    is_same = (done.returncode, done.stdout, done.stderr) == (0, "unharmed\n", "")
    failures.expect(is_same, "a process without MPI notices nothing", done)


def needed_names(library):
    dynamic = run(["readelf", "-d", "-W", library]).stdout
    return [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line]


def undefined_symbols(library):
    table = run(["readelf", "--dyn-syms", "-W", library]).stdout
    rows = [line.split() for line in table.splitlines()]
    return [row[7].split("@")[0] for row in rows if len(row) > 7 and row[6] == "UND"]


def check_symbols(failures):
    """The drop-in needs no MPI library, and the preload library needs the C library only. Nothing
    of a part is gone before MPI_Finalize."""
    needed = needed_names(options.part)
    failures.expect(needed and not any("mpi" in name for name in needed), f"a part needs {needed}")
    at_exit = "__cxa_atexit" in undefined_symbols(options.part)
    failures.expect(not at_exit, "a part has objects that are gone when a program ends MPI at exit")
    needed = [name.split(".")[0] for name in needed_names(options.preload)]
    is_lean = "libc" in needed and not set(needed) - {"libc", "libdl", "libpthread"}
    failures.expect(is_lean, f"the preload library needs {needed}")
    undefined = undefined_symbols(options.preload)
    of_mpi = [name for name in undefined if "mpi" in name.lower()]
    failures.expect("dlopen" in undefined and not of_mpi, f"undefined symbols of MPI: {of_mpi}")


def main():
    optional = ["static-program"]  # where there is a static libc
    parse(
        __doc__,
        *PROGRAMS,
        several=["linked-program"],
        optional=optional,
        has_ranks=False,
    )
    failures = Failures()
    with tempfile.TemporaryDirectory(prefix="rondo-exec-") as name:
        folder = Path(name)
        check_refused(failures, folder)
        check_run_without(failures, folder)
        check_no_programs(failures, folder)
        check_missing_part(failures, folder)
        check_profile(failures, folder)
        check_families(failures, folder / "families")
        check_environment(failures, folder)
    check_two_families(failures)
    check_without_mpi(failures)
    if shutil.which("readelf"):
        check_symbols(failures)
    else:
        print("readelf is not here: skipping that part")
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
