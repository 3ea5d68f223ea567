#!/usr/bin/env python3
"""The algorithm that CONTRIBUTING.md adds in three places is added to a copy of the tree.

It must compile there, and be considered by `auto`, by rondo-tune and by the search of
bench/regret.py, with nothing more to write. What chooses algorithms needs no MPI, so it is built
without.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests/python"), str(SOURCE / "bench")]
from document_text import blocks  # noqa: E402
from regret_lib.candidates import Cell, candidates  # noqa: E402
from regret_lib.race import Bench  # noqa: E402

ENGINE = "src/engines/one_by_one.cpp"
TABLE = "src/registry/algorithms.def"
TEST_ROWS = "tests/mpi/support/algorithms.cpp"
FOLDERS = ["include", "src", "support", "bench", "tests/mpi/support", "tests/unit", "third_party"]

# Rooms without MPI, and what rondo-tune and rondo-bench choose with.
ROOMS = ["base", "choice", "schedule", "registry", "model", "select"]
CHOOSING = [
    "support/records.cpp",
    "support/text.cpp",
    "bench/algorithms.cpp",
    "bench/tune/choices.cpp",
    "bench/variants.cpp",
    "tests/unit/contributed.cpp",
]

# A row whose copies cost nothing: nothing is faster for short blocks between nodes.
CHEAP = """
RONDO_ALGORITHM(alltoallv, one_by_radix, bruck, one_by_one, local, automatic,
                parameters({{radix, sqrt_ranks}}), straight(), "a test", "a test", "a test")
"""
PUBLISHED = CHEAP.replace("one_by_radix", "as_published").replace("automatic", "tuning")


def copy_of_the_tree(folder):
    for name in FOLDERS:
        shutil.copytree(SOURCE / name, folder / name)
    return folder


def insert(file, text, before=None):
    """At the end, or before some other text."""
    old = file.read_text(encoding="utf-8")
    at = len(old) if before is None else old.index(before)
    file.write_text(old[:at] + text + old[at:], encoding="utf-8")


def contribute(tree):
    """The three places, as the document has them."""
    engine, row, test_row = blocks(SOURCE / "CONTRIBUTING.md", "cpp")
    (tree / ENGINE).write_text(engine, encoding="utf-8")
    insert(tree / TABLE, f"\n{row}")
    insert(tree / TEST_ROWS, test_row, before="};\n\nstd::string_view registry_name")


class Compiler:
    """Of C++ with MPI, as CMake found it."""

    command: list[str] = []

    @classmethod
    def run(cls, tree, *words):
        folders = [".", "include", "src", "bench", "tests/mpi", "third_party/fmt/include"]
        options = [f"-I{tree / folder}" for folder in folders]
        options += [f"-isystem{tree / 'third_party/json/include'}"]
        options += ["-DFMT_HEADER_ONLY", '-DRONDO_VERSION_TEXT="0"']
        subprocess.run([*cls.command, *options, *map(str, words)], check=True)

    @classmethod
    def check(cls, tree, file):
        cls.run(tree, "-fsyntax-only", tree / file)

    @classmethod
    def build(cls, tree):
        """All that chooses, as one file to the compiler: it takes a few seconds."""
        sources = [file for room in ROOMS for file in sorted((tree / "src" / room).glob("*.cpp"))]
        sources += [tree / name for name in CHOOSING]
        program = tree / "contributed"
        together = tree / "together.cpp"
        together.write_text("".join(f'#include "{file}"\n' for file in sources), encoding="utf-8")
        cls.run(tree, "-O0", together, "-o", program)
        return program


class InThreePlaces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rondo-contributed-")
        cls.addClassCleanup(folder.cleanup)
        cls.tree = copy_of_the_tree(Path(folder.name))
        contribute(cls.tree)
        insert(cls.tree / TABLE, CHEAP + PUBLISHED)
        cls.program = Compiler.build(cls.tree)

    def said(self, who):
        done = subprocess.run([self.program, who], check=True, text=True, capture_output=True)
        return done.stdout.splitlines()

    def test_its_engine_compiles_and_is_called(self):
        for file in (ENGINE, "src/engines/run.cpp", TEST_ROWS):
            with self.subTest(file=file):
                Compiler.check(self.tree, file)

    def test_auto_considers_it(self):
        said = self.said("auto")
        self.assertIn("considers one_by_one", said)
        self.assertFalse([line for line in said if "as_published" in line])

    def test_auto_chooses_one_that_is_the_fastest_at_its_best_radix(self):
        chosen = [line for line in self.said("auto") if line.startswith("chooses ")]
        self.assertIn("chooses one_by_radix:radix=3", chosen)

    def test_tune_races_it(self):
        said = self.said("tune")
        self.assertIn("races one_by_one", said)
        self.assertIn("races one_by_radix:radix=8", said)

    def test_regret_searches_it_with_all_values_worth_trying(self):
        bench = Bench([], str(self.program), "alltoallv", seed=1, patience=60)
        rows = bench.variants(Cell("uniform", 16384))
        found = candidates(rows, {"one_by_one", "as_published"})
        thresholds = [f"one_by_one:threshold={bytes}" for bytes in (4096, 16384)]
        radices = [f"as_published:radix={radix}" for radix in (2, 4, 8)]
        self.assertEqual(found, ["one_by_one", *thresholds, "as_published", *radices])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compile", nargs=argparse.REMAINDER, help="a compiler and its options")
    Compiler.command = parser.parse_args().compile
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
