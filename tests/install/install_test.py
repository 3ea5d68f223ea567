#!/usr/bin/env python3
"""Install Rondo into a scratch prefix; use it by CMake, rondo-config, pkg-config and by hand."""

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

from calling import succeed

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
from document_text import SOURCE, blocks  # noqa: E402

README = SOURCE / "README.md"
LIBRARY = SOURCE / "docs/library.md"
LIBRARIES = SOURCE / "docs/libraries.md"
EXAMPLES = HERE.parent.parent / "examples"
NOT_LINKED = HERE.parent / "dropin/exchanges.c"
RANKS = 3


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "family", "cmake", "generator", "cc", "mpicc", "mpicxx"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--mpifort", default="", help="empty where there is no Fortran module")
    parser.add_argument("--node", default="", help="empty where shared memory is left out")
    parser.add_argument("--sanitize", default="", help="the sanitizers that Rondo was built with")
    parser.add_argument(
        "--component", default="", help="the folder of Open MPI's component, if any"
    )
    parser.add_argument("--mpirun", nargs=argparse.REMAINDER, required=True)
    options = parser.parse_args()
    options.flags = [f"-fsanitize={options.sanitize}"] if options.sanitize else []
    return options


def run_ranks(options, program):
    output = succeed(*options.mpirun, "-n", RANKS, program)
    expect_reports(program, output)


def run_alone(options, program):
    """Run a program that starts its own ranks."""
    if options.node:
        expect_reports(program, succeed(program, str(RANKS)))


def expect_reports(program, output):
    reports = output.count(" received ")  # lines of several ranks may be mingled
    if reports != RANKS:
        sys.exit(f"{program}: {reports} of {RANKS} ranks reported:\n{output}")


def expect_a_report(options, *program):
    """Rondo must have the exchanges of a program that knows nothing of it."""
    if options.sanitize:
        print("a sanitizer's run-time library comes before what is preloaded: skipping that part")
        return
    at_once = {"RONDO_STATS": "1", "RONDO_FORWARD_CALLS": "0"}
    output = succeed(*options.mpirun, "-n", RANKS, *program, variables=at_once)
    for call in ("alltoall", "alltoallv", "alltoallw"):
        if f"\nrondo: {call} " not in output or re.search(
            r"^rondo: alltoall[vw]? .* forwarded ", output, re.M
        ):
            sys.exit(f"{program}: Rondo did not carry out all exchanges:\n{output}")


def check_layout(prefix, options):
    library = Path("lib/rondo") / options.family
    expected = [
        library / "librondo.so.1",
        library / "librondo_dropin.so",
        Path("lib/rondo/librondo_core.so.1"),
        Path("lib/rondo/librondo_preload.so"),
        Path("lib/rondo/rondo-judge"),
        Path("bin/rondo-exec"),
        Path("bin/rondo-config"),
        Path("bin/rondo-mpirun"),
        Path("share/man/man1/rondo-config.1"),
        Path("share/man/man1/rondo-exec.1"),
        Path("share/man/man1/rondo-mpirun.1"),
        Path("share/bash-completion/completions/rondo-exec"),
        Path("share/zsh/site-functions/_rondo-exec"),
        Path("share/fish/vendor_completions.d/rondo-exec.fish"),
        Path("include/rondo/rondo.h"),
        Path("include/rondo/rondo.hpp"),
        Path("include/rondo/cpp/calls.hpp"),
        Path("include/rondo/mailbox.hpp"),
        Path("include/rondo/transport.h"),
        Path("lib/cmake/rondo/rondo-config.cmake"),
        Path(f"lib/pkgconfig/rondo-{options.family}.pc"),
        Path("lib/pkgconfig/rondo-core.pc"),
        Path("lib/pkgconfig/rondo-preload.pc"),
    ]
    if options.mpifort:
        expected += [library / "librondo_fortran.so.1", library / "rondo.mod"]
        expected += [Path(f"lib/pkgconfig/rondo-fortran-{options.family}.pc")]
    if options.component:
        expected += [Path(options.component) / "mca_coll_rondo.so"]
    missing = [str(path) for path in expected if not (prefix / path).exists()]
    if missing:
        sys.exit("not installed: " + ", ".join(missing))


def through_cmake(prefix, scratch, options, languages, components=""):
    """Configure, build and run tests/install/consumer in these languages."""
    build = scratch / f"consumer-{languages.replace(';', '-')}-{components.replace(';', '-')}"
    flags = " ".join(options.flags)
    settings = [
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCONSUMER_LANGUAGES={languages}",
        f"-DCONSUMER_COMPONENTS={components}",
        f"-DEXPECTED_FAMILY={options.family}",
        f"-DEXAMPLES={EXAMPLES}",
        f"-DMPI_C_COMPILER={options.mpicc}",
        f"-DMPI_CXX_COMPILER={options.mpicxx}",
        f"-DCMAKE_EXE_LINKER_FLAGS={flags}",
    ]
    if options.mpifort:
        settings.append(f"-DMPI_Fortran_COMPILER={options.mpifort}")
    consumer = HERE / "consumer"
    succeed(options.cmake, "-S", consumer, "-B", build, "-G", options.generator, *settings)
    succeed(options.cmake, "--build", build)
    run = run_alone if components == "core" else run_ranks
    for program in build.glob("consumer_*"):
        run(options, program)


def through_rondo_config(prefix, scratch, options):
    config = [prefix / "bin/rondo-config", "--mpi", options.family, "--cflags", "--libs"]
    ways = [(options.mpicc, "example.c"), (options.mpicxx, "-std=c++20", "example.cpp")]
    for *compiler, example in ways:
        program = scratch / f"through_rondo_config_{example}"
        words = [*compiler, EXAMPLES / example, *succeed(*config).split(), *options.flags]
        succeed(*words, "-o", program)
        run_ranks(options, program)


def through_pkg_config(prefix, scratch, options):
    if not shutil.which("pkg-config"):
        print("pkg-config is not here: skipping that part")
        return
    variables = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    c_example = EXAMPLES / "example.c"
    ways = [
        (options.mpicc, c_example, f"rondo-{options.family}", run_ranks),
        (options.mpicc, NOT_LINKED, "rondo-preload", expect_a_report),
        (options.cc, EXAMPLES / "example_group.c", "rondo-core", run_alone),
    ]
    if options.mpifort:
        f_example = EXAMPLES / "example.f90"
        ways.append((options.mpifort, f_example, f"rondo-fortran-{options.family}", run_ranks))
    for compiler, source, package, run in ways:
        said = succeed("pkg-config", "--cflags", "--libs", package, variables=variables)
        program = scratch / f"through_{package}"
        succeed(compiler, source, *said.split(), *options.flags, "-o", program)
        run(options, program)


def with_lines_of(document, name, program, scratch, options):
    """What a project becomes with the lines of CMake of a document, which may be all or the end."""
    (lines,) = blocks(document, "cmake")
    folder = scratch / f"documents-{name}"
    folder.mkdir()
    (folder / f"{name}.c").write_text(program, encoding="utf-8")
    if not lines.startswith("cmake_minimum_required"):
        needed = f"cmake_minimum_required(VERSION 3.18)\nproject({name} C)\n"
        needed += f"find_package(MPI REQUIRED)\nadd_executable({name} {name}.c)\n"
        needed += f"target_link_libraries({name} PRIVATE MPI::MPI_C)\n"
        lines = needed + lines
    (folder / "CMakeLists.txt").write_text(lines, encoding="utf-8")
    flags = " ".join(options.flags)
    settings = [f"-DCMAKE_PREFIX_PATH={scratch / 'moved'}", f"-DMPI_C_COMPILER={options.mpicc}"]
    settings += [f"-DCMAKE_EXE_LINKER_FLAGS={flags}", "-G", options.generator]
    settings.append(f"-DCMAKE_C_FLAGS=-I{NOT_LINKED.parent}")  # for what a program includes
    succeed(options.cmake, "-S", folder, "-B", folder / "build", *settings)
    succeed(options.cmake, "--build", folder / "build")
    return folder / f"build/{name}"


def as_the_documents_say(scratch, options):
    """The README's first program with the lines for library authors, and one that knows nothing of
    Rondo with those of the page on libraries."""
    (first,) = blocks(README, "c")
    program = with_lines_of(LIBRARY, "first", first, scratch, options)
    output = succeed(*options.mpirun, "-n", RANKS, program)
    for rank in range(RANKS):
        if f"rank {rank} got {rank} from rank 0" not in output:
            sys.exit(f"README.md's first program on {RANKS} ranks:\n{output}")
    exchanges = NOT_LINKED.read_text(encoding="utf-8")
    expect_a_report(options, with_lines_of(LIBRARIES, "program", exchanges, scratch, options))


def by_hand_in_fortran(prefix, scratch, options):
    """Build the Fortran example as its first comment says."""
    library = prefix / "lib/rondo" / options.family
    program = scratch / "by_hand"
    words = [f"-I{library}", EXAMPLES / "example.f90", f"-L{library}", "-lrondo_fortran", "-lrondo"]
    words += [f"-Wl,-rpath,{library}", *options.flags]
    succeed(options.mpifort, *words, "-o", program)
    run_ranks(options, program)


def through_rondo_exec(prefix, scratch, options):
    """Run a program that is not linked to Rondo."""
    program = scratch / "not_linked"
    succeed(options.mpicc, NOT_LINKED, *options.flags, "-o", program)
    expect_a_report(options, prefix / "bin/rondo-exec", "--stats", program)
    if options.component:
        via = [prefix / "bin/rondo-exec", "--via", "component"]
        expect_a_report(options, *via, "--stats", program)


def main():
    options = parse()
    with tempfile.TemporaryDirectory(prefix="rondo-install-") as folder:
        scratch = Path(folder)
        first = scratch / "first"
        succeed(options.cmake, "--install", options.build, "--prefix", first)
        prefix = first.rename(scratch / "moved")  # an installed tree can be moved
        check_layout(prefix, options)
        through_cmake(prefix, scratch, options, "C")
        through_cmake(prefix, scratch, options, "CXX", options.family)
        through_cmake(prefix, scratch, options, "C", "core")
        through_rondo_config(prefix, scratch, options)
        through_pkg_config(prefix, scratch, options)
        as_the_documents_say(scratch, options)
        through_rondo_exec(prefix, scratch, options)
        if options.mpifort:
            through_cmake(prefix, scratch, options, "C;Fortran", "fortran")
            by_hand_in_fortran(prefix, scratch, options)


if __name__ == "__main__":
    main()
