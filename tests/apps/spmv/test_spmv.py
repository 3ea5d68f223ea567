#!/usr/bin/env python3
"""Tests of rondo-spmv as it is called: its estimates are those of scipy.

test_spmv.py --spmv build/bin/rondo-spmv --spoiler libspmv_spoiler.so --mpirun tools/mpirun ...
"""

import json
import unittest

import calling
from calling import options

try:
    import numpy
    import scipy.io
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError:
    scipy = None

WRONG_USE = [
    ([], "FILE or --generate"),
    (["a.mtx", "--generate", "random:5,1"], "--generate"),
    (["--generate", "random:5,1", "--algorithm", "pairwise"], "pairwise"),
]
NO_SCIPY = "scipy is not installed (Debian: python3-scipy)"


def run(ranks, *words):
    return calling.run_ranks(ranks, options.spmv, *words, "--quiet")


def power_iteration(matrix, products):
    """The estimate, by the method that --help describes."""
    vector = 1 + (numpy.arange(matrix.shape[0]) % 11) / 11
    vector /= numpy.linalg.norm(vector)
    for _ in range(products):
        product = matrix @ vector
        estimate = vector @ product
        vector = product / numpy.linalg.norm(product)
    return estimate


class Spmv(calling.ProgramTest):
    def report(self, ranks, *words):
        done = run(ranks, *words, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)

    def check(self, matrix, ranks, *words):
        """Every algorithm has scipy's estimate."""
        ways = ["--algorithm", "mpi,auto,node_aware,spread_out,by_hand", "--iterations", "60"]
        report = self.report(ranks, *words, *ways, "--verify")
        self.assertEqual(report["rows"], matrix.shape[0])
        expected = power_iteration(matrix, 60)
        self.assertEqual(len(report["eigenvalue"]), 5)
        for algorithm, found in report["eigenvalue"].items():
            self.assertAlmostEqual(found / expected, 1, delta=1e-10, msg=algorithm)
        for algorithm, error in report["relative_error"].items():
            self.assertLessEqual(error, 1e-13, algorithm)
        return report

    @unittest.skipIf(scipy is None, NO_SCIPY)
    def test_files(self):
        random = scipy.sparse.random(83, 83, 0.05, random_state=7) + scipy.sparse.identity(83)
        path = self.folder / "general.mtx"
        scipy.io.mmwrite(path, random)
        for ranks in (1, 4):
            report = self.check(random.tocsr(), ranks, path)
        eigenvalues = scipy.sparse.linalg.eigs(random.tocsr(), 1, return_eigenvectors=False)
        found = report["eigenvalue"]["auto"]
        self.assertAlmostEqual(found / abs(eigenvalues[0]), 1, delta=1e-3)
        symmetric = (random + random.T).tocoo()
        scipy.io.mmwrite(path, symmetric, symmetry="symmetric")
        self.check(symmetric.tocsr(), 3, path)

    @unittest.skipIf(scipy is None, NO_SCIPY)
    def test_stencil(self):
        def line(size):
            return scipy.sparse.diags([1, 1, 1], [-1, 0, 1], shape=(size, size))

        ones = scipy.sparse.kron(scipy.sparse.kron(line(4), line(5)), line(6))
        matrix = 27 * scipy.sparse.identity(120) - ones
        report = self.check(matrix.tocsr(), 4, "--generate", "27-point:4x5x6")
        self.assertEqual(report["entries"], matrix.tocsr().nnz)
        # Each rank has a layer of 30 numbers, which the ranks beside it need.
        self.assertEqual((report["halo_bytes"], report["most_neighbours"]), (6 * 30 * 8, 2))

    def test_more_ranks_than_rows(self):
        words = ["--generate", "random:3,2", "--algorithm", "auto,node_aware,by_hand", "--verify"]
        report = self.report(5, *words)
        self.assertEqual(len(set(round(one, 9) for one in report["eigenvalue"].values())), 1)

    def test_table(self):
        done = run(2, "--generate", "5-point:8x8", "--iterations", "3")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertIn("rows: 64\n", done.stdout)
        self.assertIn("exchange ms", done.stdout)

    def test_wrong_products_are_told(self):
        words = ["--generate", "5-point:6x6", "--algorithm", "auto,mpi", "--verify", "--quiet"]
        spoilt = ["env", f"LD_PRELOAD={options.spoiler}"]
        done = calling.run_ranks(2, *spoilt, options.spmv, *words)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, "rondo-spmv: the product with mpi is wrong: .* 1e-12")

    def test_wrong_use(self):
        for words, sentence in WRONG_USE:
            with self.subTest(words=words):
                self.assert_refused(run(0, *words), "rondo-spmv", sentence)
        path = self.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n")
        self.assert_refused(run(2, path), "rondo-spmv", "2 x 3", "must be square")
        path = self.write("c.mtx", "%%MatrixMarket matrix coordinate complex general\n")
        self.assert_refused(run(2, path), "rondo-spmv", "c.mtx:1: the matrix is complex")


if __name__ == "__main__":
    calling.main(__doc__, "spmv", "spoiler")
