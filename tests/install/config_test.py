#!/usr/bin/env python3
"""For which MPI family rondo-config prints flags, and what it refuses.

install_test.py and package_test.py compile programs with these flags.
"""

import os
import shlex
import shutil
from pathlib import Path

import calling
from calling import options, run, write_program

CONFIG = Path(__file__).resolve().parents[2] / "tools/rondo-config"

# What mpi.h defines, and the family that this means.
OPEN_MPI, MPICH, ABI = "OPEN_MPI", "MPICH_VERSION", "MPI_ABI_VERSION"
BROKEN = ""  # mpicc fails
# The families that Rondo is installed for, what mpicc's mpi.h defines (None: there is no mpicc),
# options, and the family whose library is linked.
CHOSEN = [
    ("openmpi", None, [], "openmpi"),
    ("mpich", BROKEN, [], "mpich"),
    ("openmpi", OPEN_MPI, [], "openmpi"),
    ("abi mpich openmpi", OPEN_MPI, [], "openmpi"),
    ("abi mpich openmpi", MPICH, [], "mpich"),
    ("abi mpich openmpi", "I_MPI_VERSION", [], "mpich"),
    ("abi mpich openmpi", ABI, [], "abi"),
    ("abi mpich openmpi", f"{MPICH} {ABI}", [], "mpich"),
    ("abi mpich openmpi", MPICH, ["--mpi", "abi"], "abi"),
    ("mpich openmpi", None, ["--mpi=openmpi"], "openmpi"),
]
# The same, and words of the message.
REFUSED = [
    ("openmpi", MPICH, ["--libs"], ["for openmpi, and not for mpich", "that of mpicc"]),
    ("mpich openmpi", MPICH, ["--libs", "--mpi", "abi"], ["for mpich openmpi, and not for abi"]),
    ("mpich openmpi", None, ["--libs"], ["no mpicc", "--mpi", "mpich openmpi"]),
    ("mpich openmpi", BROKEN, ["--cflags"], ["no mpicc", "--mpi", "mpich openmpi"]),
    ("", OPEN_MPI, ["--cflags"], ["no librondo.so.1", "lib/rondo", "install Rondo"]),
    ("openmpi", OPEN_MPI, [], ["--cflags, --libs or both"]),
    ("openmpi", OPEN_MPI, ["--libs", "--mpi"], ["--mpi needs openmpi, mpich or abi"]),
    ("openmpi", OPEN_MPI, ["--lib"], ["unknown option --lib"]),
]


class Config(calling.ProgramTest):
    def installed(self, families):
        """The program in an installation of empty libraries."""
        shutil.rmtree(self.folder / "prefix", ignore_errors=True)
        for family in families.split():
            self.write(f"prefix/lib/rondo/{family}/librondo.so.1", "")
        return write_program(self.folder / "prefix/bin/rondo-config", CONFIG.read_text("utf-8"))

    def path(self, defined):
        """A PATH with what the program needs, and an mpicc whose mpi.h defines these names."""
        folder = self.folder / "path"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name in "sh basename dirname paste readlink sed".split():
            (folder / name).symlink_to(shutil.which(name))
        if defined is not None:
            self.write("mpi.h", "".join(f"#define {name} 1\n" for name in defined.split()))
            compiler = f"PATH={shlex.quote(os.environ['PATH'])} exec {options.compiler}"
            does = f'{compiler} -I"{self.folder}" "$@"' if defined else "exit 1"
            write_program(folder / "mpicc", f"#!/bin/sh\n{does}\n")
        return {"PATH": str(folder)}

    def said(self, families, defined, words):
        return run(self.installed(families), *words, variables=self.path(defined))

    def test_the_family(self):
        for families, defined, words, family in CHOSEN:
            with self.subTest(families=families, defined=defined, words=words):
                done = self.said(families, defined, ["--cflags", "--libs", *words])
                prefix = self.folder.resolve() / "prefix"
                library = prefix / "lib/rondo" / family
                flags = f"-I{prefix}/include -L{library} -l:librondo.so.1 -Wl,-rpath,{library}\n"
                self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", flags))

    def test_each_alone_is_what_both_have(self):
        both, cflags, libs = (
            self.said("openmpi", OPEN_MPI, words).stdout.split()
            for words in (["--cflags", "--libs"], ["--cflags"], ["--libs"])
        )
        self.assertEqual((cflags, libs), (both[:1], both[1:]))

    def test_through_a_link(self):
        done = self.said("mpich", MPICH, ["--libs"])
        link = self.folder / "link"
        link.symlink_to(self.folder / "prefix/bin/rondo-config")
        linked = run(link, "--libs", variables=self.path(MPICH))
        self.assertEqual((linked.returncode, linked.stdout), (0, done.stdout))

    def test_the_prefix(self):
        done = self.said("", None, ["--prefix"])
        self.assertEqual(done.stdout, f"{self.folder.resolve() / 'prefix'}\n")

    def test_refusals(self):
        for families, defined, words, reason in REFUSED:
            with self.subTest(families=families, defined=defined, words=words):
                done = self.said(families, defined, words)
                self.assert_refused(done, "rondo-config", *reason)


if __name__ == "__main__":
    calling.main(__doc__, "compiler", has_ranks=False)
