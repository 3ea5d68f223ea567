#!/usr/bin/env python3
"""check_gpu.py with programs that play those of a build: no failure keeps others from running."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.append(str(Path(__file__).resolve().parent))
import calling
import check_gpu

EMULATOR = "#!/bin/sh\nexit 0\n"
WITHOUT_GPU = "#!/bin/sh\necho skipped: there is no GPU\nexit 77\n"
BENCH = """#!/bin/sh
echo "# $2 ranks, a GPU, NCCL 2.30.7, blocks constant, seed 1"
[ "$2" = 3 ] && { echo "3 ranks are wrong" >&2; exit 1; }
echo "           4           4  uint8       1.00"
"""
HANGS = "#!/bin/sh\nexec sleep 600\n"
# The second of three cases is wrong on 2 ranks, and the third one goes through the host on 3.
PYTHON = """#!/bin/sh
for word; do last=$word; done
[ "$last" = second ] || { echo "case: first"; echo "case: second"; [ "$4" = 2 ] && exit 1; }
echo "case: third"
[ "$4" = 3 ] && echo "exchanged through the host"
echo "figure: torch, $4 ranks, $NCCL_MAX_CTAS thread blocks, $LD_PRELOAD"
exit 0
"""


class CheckGpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rondo-test-")
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)
        self.write("rondo_gpu_emulator", EMULATOR)
        self.write("rondo-bench-gpu", BENCH)
        self.write("nccl_hang", EMULATOR)
        self.write("compute-sanitizer", "#!/bin/sh\nexit 0\n")
        self.python = self.write("python", PYTHON)

    def write(self, name, text):
        return calling.write_program(self.build / "bin" / name, text)

    def check(self, *words):
        """The status, and the lines that are printed."""
        said = io.StringIO()
        path = f"{self.build / 'bin'}{os.pathsep}{os.environ['PATH']}"
        limits = dict.fromkeys(check_gpu.SECONDS, 2)
        with (
            mock.patch.dict(os.environ, {"PATH": path}),
            mock.patch.object(check_gpu, "SECONDS", limits),
            contextlib.redirect_stdout(said),
        ):
            status = check_gpu.main([str(self.build), "--python", str(self.python), *words])
        return status, said.getvalue().splitlines()

    def test_everything_is_run(self):
        self.write("nccl_hang", HANGS)
        status, lines = self.check()
        self.assertEqual(status, 1)
        wrong = [line for line in lines if "FAILED" in line or "NOT RUN" in line]
        names = [line.partition(": ")[0] for line in wrong]
        expected = ["rondo.torch, 2 ranks", "rondo.torch, 3 ranks", "3 ranks in C"]
        expected += ["3 ranks in C, blocks power:0.9", "3 ranks in C, graphs"]
        self.assertEqual(names, expected)
        self.assertIn("3 ranks are wrong", "\n".join(lines))
        self.assertEqual(sum("HANGS" in line for line in lines), 4)
        self.assertRegex(lines[-1], r"^2\d of 3\d steps went well$")
        log = (self.build / "check-gpu.log").read_text()
        for line in lines:
            self.assertIn(line.strip(), log)

    def test_tensors_go_on_after_a_wrong_case(self):
        _, lines = self.check()
        at = lines.index("rondo.torch, 2 ranks, after second: 0 s")
        self.assertEqual(lines[at + 1], "    figure: torch, 2 ranks, 8 thread blocks, ")

    def test_what_hangs(self):
        """Two of a kind, then no others."""
        self.write("rondo-bench-gpu", HANGS)
        _, lines = self.check()
        left_out = [line for line in lines if line.endswith("NOT RUN: 2 of its kind hung")]
        self.assertEqual(len(left_out), 13 - 2 + 5 - 2)
        self.assertIn("compute-sanitizer, memcheck: 0 s", lines)

    def test_no_time_is_left(self):
        status, lines = self.check("--seconds", "0")
        left_out = [line for line in lines if line.endswith("NOT RUN: no time is left")]
        self.assertEqual((status, len(left_out), lines[-1]), (1, 31, "0 of 31 steps went well"))

    def test_programs_that_are_missing(self):
        for program in ("rondo_gpu_emulator", "rondo-bench-gpu", "python"):
            (self.build / "bin" / program).unlink()
        _, lines = self.check()
        self.assertEqual(sum("FAILED: not run" in line for line in lines), 1 + 5 + 18)
        self.assertIn("compute-sanitizer, memcheck: 0 s", lines)

    def test_another_nccl(self):
        with mock.patch.object(check_gpu.calling, "run", side_effect=calling.run) as run:
            self.check("--nccl", str(self.build))
        file = self.build.resolve() / "lib/libnccl.so.2"
        given = [one.kwargs.get("variables", {}).get("LD_PRELOAD") for one in run.mock_calls]
        self.assertEqual(given.count(str(file)), 18 + 5 + 1 + 4)  # and not the kernels

    def test_what_does_not_build(self):
        """What was built before is run."""
        self.write("cmake", "#!/bin/sh\necho $*: no CUDA\nexit 1\n")
        status, lines = self.check("--build")
        self.assertEqual((status, lines[0]), (1, "building: FAILED after 0 s, status 1"))
        self.assertTrue(any("-DRONDO_MPI=OFF" in line and "no CUDA" in line for line in lines))
        self.assertIn("the kernels alone: 0 s", lines)

    def test_without_a_gpu(self):
        self.write("rondo_gpu_emulator", WITHOUT_GPU)
        self.assertEqual(self.check(), (calling.SKIPPED, ["skipped: there is no GPU"]))


if __name__ == "__main__":
    unittest.main()
