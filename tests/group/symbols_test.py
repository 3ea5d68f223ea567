"""librondo_core needs no MPI: it asks for no MPI library and for none of its symbols."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

HEADER = sys.argv.pop()
LIBRARY = sys.argv.pop()
DECLARED = re.compile(r"^RONDO_API [^;(]*?(\w+)\(", re.M)
MPI = re.compile(r"P?MPIX?_|ompi_|libmpi|libopen-(rte|pal)", re.IGNORECASE)


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


class NoMpi(unittest.TestCase):
    def test_it_needs_no_mpi_library(self):
        needed = [line for line in said("readelf", "--wide", "-d", LIBRARY) if "(NEEDED)" in line]
        self.assertTrue(needed)
        self.assertFalse([line for line in needed if MPI.search(line)])

    def test_it_uses_no_symbol_of_mpi(self):
        undefined = [
            line.split()[-1] for line in said("nm", "-D", "--undefined-only", LIBRARY) if line
        ]
        self.assertIn("memfd_create", "\n".join(undefined))
        self.assertFalse([name for name in undefined if MPI.match(name)])

    def test_it_exports_what_its_header_declares(self):
        defined = [line.split()[-1] for line in said("nm", "-D", "--defined-only", LIBRARY)]
        names = {name.split("@")[0] for name in defined}
        declared = set(DECLARED.findall(Path(HEADER).read_text(encoding="utf-8")))
        self.assertIn("Rondo_Group_create", declared)
        self.assertEqual({name for name in names if not name.startswith("RONDO_")}, declared)


if __name__ == "__main__":
    unittest.main()
