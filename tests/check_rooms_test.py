#!/usr/bin/env python3
"""Tests of check_rooms.py: one row per file with an include, and its violation."""

import tempfile
import unittest
from pathlib import Path

from check_rooms import PROGRAMS, check_tree

GOOD = [
    ("base/a.hpp", "#include <cstddef>"),
    ("model/a.cpp", '#include "model/b.hpp"'),
    ("model/a.cpp", '#include "schedule/b.hpp"'),
    ("api/a.cpp", '#include "rondo/rondo.h"'),
    ("engines/a.cpp", "#include <mpi.h>"),
    ("gpu/a.cu", "#include <nccl.h>"),
    ("group/a.cpp", "#include <rondo/transport.h>"),
    ("mpi/a.cpp", '#include "transport/b.hpp"'),
    ("registry/a.cpp", '// #include "api/b.hpp"'),
    ("support/a.cpp", '#include "api/b.hpp"'),
    ("bench/a.cpp", '#include "support/b.hpp"'),
    ("bench/deep/a.cpp", '#include "here.hpp"'),
    ("apps/a.cpp", '#include "api/b.hpp"'),
    ("dropin/part/a.cpp", "#include <mpi.h>"),
    ("dropin/part/a.cpp", '#include "api/b.hpp"'),
    ("dropin/judge/a.cpp", '#include "dropin/report/b.hpp"'),
]

BAD = [
    ("base/a.hpp", "#include <mpi.h>", "base/ must compile without mpi.h"),
    ("simulate/a.cpp", '#include "mpi.h"', "simulate/ must compile without mpi.h"),
    ("model/a.cpp", "#include <cuda_runtime.h>", "must compile without cuda_runtime.h"),
    ("registry/a.def", "  #  include <nccl.h>", "must compile without nccl.h"),
    ("schedule/a.hpp", '#include "model/b.hpp"', "model/ is above it"),
    ("schedule/a.hpp", '#include "../api/b.hpp"', "api/ is above it"),
    ("select/a.cpp", "#include <mpi.h>", "select/ must compile without mpi.h"),
    ("segment/a.cpp", "#include <mpi.h>", "segment/ must compile without mpi.h"),
    ("select/a.cpp", '#include "exchange/b.hpp"', "exchange/ is above it"),
    ("buffers/a.cpp", '#include "engines/b.hpp"', "engines/ is above it"),
    ("engines/node/a.cpp", '#include "../../api/b.hpp"', "api/ is above it"),
    ("segment/a.cpp", "#include <rondo/rondo.h>", "exchange/ is above it"),
    ("engines/a.cpp", "#include <rondo/transport.h>", "group/ is above it"),
    ("transport/a.cpp", '#include "mpi/b.hpp"', "mpi/ is above it"),
    ("group/a.cpp", "#include <mpi.h>", "group/ must compile without mpi.h"),
    ("base/a.hpp", '#include "support/b.hpp"', "support/ is above it"),
    ("support/a.cpp", '#include "here.hpp"', "bench/ is above it"),
    ("support/a.cpp", '#include "bench/here.hpp"', "bench/ is above it"),
    ("api/a.cpp", "#include <bench/gone.hpp>", "bench/ is above it"),
    ("apps/a.cpp", '#include "here.hpp"', "bench/ is beside it"),
    ("bench/a.cpp", '#include "../apps/there.hpp"', "apps/ is beside it"),
    ("gpu/a.cpp", "#include <mpi.h>", "gpu/ must compile without mpi.h"),
    ("dropin/contract.hpp", '#include "dropin/part/b.hpp"', "dropin/part/ is above it"),
    ("dropin/contract.hpp", "#include <mpi.h>", "dropin/ must compile without mpi.h"),
    ("dropin/part/a.cpp", '#include "dropin/judge/b.hpp"', "dropin/judge/ is above it"),
    ("dropin/preload/a.cpp", "#include <mpi.h>", "dropin/preload/ must compile without mpi.h"),
    ("dropin/exec/a.cpp", '#include "api/b.hpp"', "without mpi.h, which api/b.hpp includes"),
    ("dropin/judge/a.cpp", '#include "rondo/rondo.h"', "must compile without rondo/rondo.h"),
    ("attic/a.cpp", "#include <cstddef>", "attic is not a room"),
]


def violations(name: str, line: str, first: str = "#pragma once") -> list[str]:
    """The violations of a tree with a two-line file `name`, in src/ unless it names a folder."""
    is_top = name.split("/")[0] in ("support", *PROGRAMS)
    file = name if is_top else f"src/{name}"
    others = ("support/b.hpp", "bench/here.hpp", "apps/there.hpp")
    with tempfile.TemporaryDirectory() as folder:
        for path in ("src/api/b.hpp", *others, file):
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text("#pragma once\n")
        (Path(folder) / "src/api/b.hpp").write_text("#include <mpi.h>\n")
        (Path(folder) / file).write_text(f"{first}\n{line}\n")
        return check_tree(Path(folder))[1]


class CheckRooms(unittest.TestCase):
    def test_good(self) -> None:
        for name, line in GOOD:
            with self.subTest(name=name, line=line):
                self.assertEqual(violations(name, line), [])

    def test_bad(self) -> None:
        for name, line, said in BAD:
            with self.subTest(name=name, line=line):
                found = violations(name, line)
                self.assertEqual(len(found), 1)
                self.assertIn(said, found[0])
                self.assertIn(f"{name}:{1 if name.startswith('attic') else 2}: ", found[0])

    def test_claims(self) -> None:
        for claim, line, said in (
            ("// A table. No MPI.", "#include <mpi.h>", "a.hpp must compile without mpi.h"),
            ("// It needs no MPI.", '#include "api/b.hpp"', "mpi.h, which api/b.hpp includes"),
            ("// It needs no MPI.", "#include <nccl.h>", None),
            ("// All about MPI.", "#include <mpi.h>", None),
        ):
            with self.subTest(claim=claim, line=line):
                found = violations("api/a.hpp", line, claim)
                self.assertEqual(len(found), 0 if said is None else 1)
                self.assertTrue(said is None or said in found[0], found)


if __name__ == "__main__":
    unittest.main()
