"""Which MPI library is found, in prefixes with a launcher and empty files of the right names."""

import subprocess
import sys

import pytest
from calling import write_program

from rondo import mpi_library, programs

OPEN_MPI = "mpirun (Open MPI) 4.1.4"
MPICH = "HYDRA build details:"
INTEL = "Intel(R) MPI Library for Linux* OS"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A package for all families, on a machine without MPI."""
    for family in mpi_library.SONAMES:
        for name in ("librondo.so.1", "bin/rondo-bench"):
            file = tmp_path / "package" / family / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    monkeypatch.setattr(mpi_library, "LIBRARIES", tmp_path / "package")
    monkeypatch.setattr(mpi_library, "_known_to_the_linker", lambda family: None)
    monkeypatch.setenv("PATH", "/no/such/folder")
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    return tmp_path


def install(prefix, said, *libraries, launcher="mpirun"):
    """An MPI below `prefix`; its folder of programs."""
    for name in libraries:
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).touch()
    return write_program(prefix / "bin" / launcher, f"#!/bin/sh\necho '{said}'\n").parent


@pytest.mark.parametrize(
    ("said", "libraries", "launcher", "family", "file"),
    [
        (OPEN_MPI, ["lib/libmpi.so.40"], "mpirun", "openmpi", "lib/libmpi.so.40"),
        (MPICH, ["lib64/libmpi.so.12"], "mpiexec", "mpich", "lib64/libmpi.so.12"),
        (MPICH, ["lib/libmpich.so.12"], "mpiexec.mpich", "mpich", "lib/libmpich.so.12"),
        (MPICH, ["lib/libmpi_abi.so.0"], "mpirun", "abi", "lib/libmpi_abi.so.0"),
        (MPICH, ["lib/libmpi_abi.so.0", "lib/libmpi.so.12"], "mpirun", "mpich", "lib/libmpi.so.12"),
        (MPICH, ["lib/libmpi.so.40", "lib/libmpi.so.12"], "mpirun", "mpich", "lib/libmpi.so.12"),
        (INTEL, ["lib/release/libmpi.so.12"], "mpirun", "mpich", "lib/release/libmpi.so.12"),
    ],
)
def test_the_launcher_on_path(machine, monkeypatch, said, libraries, launcher, family, file):
    monkeypatch.setenv("PATH", str(install(machine / "mpi", said, *libraries, launcher=launcher)))
    assert mpi_library.find() == (family, str(machine / "mpi" / file))
    assert mpi_library.family_here() == family


def test_the_launch_command_comes_first(machine, monkeypatch):
    monkeypatch.setenv("PATH", str(install(machine / "a", OPEN_MPI, "lib/libmpi.so.40")))
    other = install(machine / "b", MPICH, "lib/libmpi.so.12")
    assert mpi_library.find(["taskset", "-c", "0", f"{other}/mpirun", "-n", "2"]).family == "mpich"
    assert mpi_library.find(["srun", "-n", "2"]).family == "openmpi"


def test_the_launcher_that_has_started_this_process(machine, monkeypatch):
    started = install(machine / "a", "", "lib/libmpi.so.12", launcher="hydra_pmi_proxy")
    monkeypatch.setattr(mpi_library, "_ancestors", lambda: iter([started / "hydra_pmi_proxy"]))
    monkeypatch.setenv("PATH", str(install(machine / "b", OPEN_MPI, "lib/libmpi.so.40")))
    assert mpi_library.find() == ("mpich", str(machine / "a/lib/libmpi.so.12"))


def test_the_ancestors_of_this_process():
    """What a program between here and there is started by is among them."""
    text = "from rondo import mpi_library as m; print(*m._ancestors(), sep='\\n')"
    between = "import subprocess, sys; subprocess.run(sys.argv[1:], check=True)"
    words = [sys.executable, "-c", between, "/bin/sh", "-c", '"$@"; true', "sh"]
    done = subprocess.run(
        [*words, sys.executable, "-c", text], capture_output=True, text=True, check=True
    )
    names = [line.rpartition("/")[2] for line in done.stdout.splitlines()]
    assert names[1].startswith("python") and names[2].startswith("python"), names
    assert "sh" in names[0], names


def test_no_mpi(machine):
    with pytest.raises(mpi_library.MpiNotFound, match="found no MPI library that this package"):
        mpi_library.find()
    assert mpi_library.family_here() == ""
    assert mpi_library.version_here() is None


def test_a_family_that_the_package_lacks(machine, monkeypatch):
    (machine / "package/openmpi/librondo.so.1").unlink()
    (machine / "package/openmpi/bin/rondo-bench").unlink()
    first = install(machine / "a", OPEN_MPI, "lib/libmpi.so.40")
    second = install(machine / "b", MPICH, "lib/libmpi.so.12")
    monkeypatch.setenv("PATH", f"{first}:{second}")
    assert mpi_library.find().family == "mpich"


def test_programs_get_the_library(machine, monkeypatch):
    monkeypatch.setenv("PATH", str(install(machine / "mpi", OPEN_MPI, "lib/libmpi.so.40")))
    program = str(machine / "package/openmpi/bin/rondo-bench")
    library = machine / "mpi/lib/libmpi.so.40"
    assert programs.command("rondo-bench") == (["env", f"LD_PRELOAD={library}", program], "openmpi")
    monkeypatch.setenv("LD_PRELOAD", "first.so")
    assert programs.command("rondo-bench").words[1] == f"LD_PRELOAD=first.so:{library}"
    (machine / "package/openmpi/bin/rondo-bench").unlink()
    with pytest.raises(programs.ProgramNotFound, match="no rondo-bench for openmpi"):
        programs.command("rondo-bench")


def test_a_library_that_cannot_be_preloaded(machine, monkeypatch):
    monkeypatch.setenv("PATH", str(install(machine / "m p i", OPEN_MPI, "lib/libmpi.so.40")))
    with pytest.raises(programs.ProgramNotFound, match="spaces and colons separate LD_PRELOAD"):
        programs.command("rondo-bench")
