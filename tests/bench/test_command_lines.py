#!/usr/bin/env python3
"""Every option of every program, given wrong: one sentence names the option, and of a wrong value
what was given and what the option takes.

test_command_lines.py build/bin/rondo-bench build/bin/rondo-fft ...
"""

import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import calling
from calling import run

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools/pages"))
import help_text  # noqa: E402

PROGRAMS: list[Path] = []

MILLION = "from 1 to 1000000"
NOWHERE = "/dev/null/file"
NO_FILE = ["Not a directory"]

# What must stand before the option, for it to be looked at.
BEFORE = {
    "rondo-bench": ["alltoallv"],
    "rondo-closure": ["--generate", "chain:4"],
    "rondo-kcfa": ["--generate", "worst:2,1"],
    "rondo-spmv": ["--generate", "random:9,2"],
    "rondo-tune": ["--output", "profile.json"],
}
NOT_BEFORE = {"graph", "program", "matrix", "collective"}

# By program and option (or argument): wrong values, and what else the sentence must say.
COUNTS = [(value, [MILLION]) for value in ("0", "many", "1.5", "", "1000001")]
FROM_0 = [(value, ["from 0 to 1000000"]) for value in ("-1", "none", "1000001")]
SEEDS = [(value, ["from 0 to 2^64-1"]) for value in ("-1", "x", "18446744073709551616")]
SIZES = [("16q", ["k, m or g"]), ("", ["k, m or g"]), ("3g", ["2147483647"]), ("8:4", ["start"])]
RADICES = [(f"fused_bruck:radix={radix}", ["must be in 2.."]) for radix in (1, 2**32 + 2)]
ALGORITHMS = [
    ("fused_brook", ["rondo-bench --list"]),
    ("mpi,fused_brook", ["'fused_brook'"]),
    ("mpi,", ["''"]),
    *RADICES,
]
STRETCHES = ("3", "a:4", "4:", "-1:3", "3:3", "3:50", "1:2:3")
FORMATS = [(value, ["table, json or csv"]) for value in ("xml", "")]
COMMON = {
    "--algorithm": ALGORITHMS,
    "--repeat": COUNTS,
    "--format": FORMATS,
}
POSITIVE = [(value, ["from 1 to 2^31-1"]) for value in ("0", "-1", "x", "2147483648")]
NATURAL = [(value, ["from 0 to 2^31-1"]) for value in ("-1", "x")]
GPU_SIZES = [
    *[(value, ["as in 64, 1k or 1KiB"]) for value in ("-1", "1Q", "")],
    ("9999G", ["more than 1099511627776"]),
]
WRONG = {
    "rondo-bench": {
        "collective": [("alltoal", ["ialltoallv or ialltoallw"])],
        "--algorithm": [("fused_brook", ["there are: "]), *RADICES],
        "--contender": [
            (NOWHERE, NO_FILE),
            ("=x.so", ["neither FILE nor NAME=FILE"]),
            ("", ["neither FILE nor NAME=FILE"]),
            ("mpi=x.so", ["there is a row 'mpi' already; say NAME=FILE"]),
            ("/x/fused_bruck.so", ["there is a row 'fused_bruck' already"]),
        ],
        "--bytes": SIZES,
        "--distribution": [("unifrom", ["uniform, window:R"]), ("window:200", ["0..100"])],
        "--iterations": COUNTS,
        "--warmup": FROM_0,
        "--batch": COUNTS,
        "--tests": FROM_0,
        "--learn": FROM_0,
        "--one-core": [(value, ["FROM:TO with 0 <= FROM < TO < 50"]) for value in STRETCHES],
        "--seed": SEEDS,
        "--format": FORMATS,
        "--output": [(NOWHERE, NO_FILE)],
    },
    "rondo-limit": {
        "--bytes": SIZES,
        "--iterations": COUNTS,
        "--warmup": FROM_0,
        "--batch": COUNTS,
        "--format": FORMATS,
        "--output": [(NOWHERE, NO_FILE)],
    },
    "rondo-tune": {
        "--budget": [
            (value, ["from 1 to 100000"]) for value in ("0", "-1", "x", "", "1e6", "1d", "30h")
        ],
        "--output": [(NOWHERE, NO_FILE)],
    },
    "rondo-closure": COMMON
    | {
        "graph": [(NOWHERE, NO_FILE)],
        "--exchange": [("both", ["mixed, dynamic or counts"])],
        "--generate": [("rmat:99", ["rmat:SCALE"]), ("x", ["chain:N"])],
        "--seed": SEEDS,
        "--output": [(NOWHERE, NO_FILE)],
    },
    "rondo-kcfa": COMMON
    | {
        "program": [(NOWHERE, NO_FILE)],
        "--exchange": [("both", ["mixed, dynamic or counts"])],
        "--generate": [("best:2,1", ["worst:N,K"]), ("worst:0,1", ["1..10000"])],
        "--k": [("9", ["from 0 to 8"]), ("-1", ["from 0 to 8"])],
        "--output": [(NOWHERE, NO_FILE)],
    },
    "rondo-fft": COMMON
    | {
        "--blocks": [(value, ["from 1 to 2^60"]) for value in ("0", "x", "2e3")],
        "--points": [(value, ["from 1 to 2^60"]) for value in ("0", "x", "1 ")],
        "--size": [("64x48", ["64x48x50"]), ("0x1x1", ["positive"])],
        "--decomposition": [("cube", ["slab or pencil"]), ("1", ["slab or pencil"])],
        "--grid": [("2", ["2x3"]), ("0x1", ["positive"])],
        "--pipeline": [(value, ["from 0 to 1000"]) for value in ("-1", "x", "1001")],
        "--precision": [("half", ["double or single"])],
        "--direction": [("up", ["forward, backward or both"])],
        "--iterations": COUNTS,
        "--planning": [("guess", ["estimate or measure"])],
    },
    "rondo-spmv": COMMON
    | {
        "matrix": [(NOWHERE, NO_FILE)],
        "--generate": [("9-point:3x3", ["27-point:AxBxC"]), ("random:0,1", ["2^31-1"])],
        "--seed": SEEDS,
        "--iterations": COUNTS,
    },
    "rondo-bench-gpu": {
        "--algorithm": [
            ("nccl_brook", ["there are: "]),
            ("nccl_bruck:radix=1", ["must be in 2.."]),
            ("direct:blocks=4294967296", ["must be in 1..65535"]),
        ],
        "--min-bytes": GPU_SIZES,
        "--max-bytes": GPU_SIZES,
        "--step-factor": [(value, ["from 1.01 to 1000000"]) for value in ("1", "x")],
        "--iterations": POSITIVE,
        "--warmup": NATURAL,
        "--format": FORMATS,
        "--graph-launches": NATURAL,
        "--distribution": [("unifrom", ["uniform, window:R"])],
        "--seed": SEEDS,
        "--threads": POSITIVE,
        "--process": NATURAL,
        "--processes": POSITIVE,
    },
}
# Names of files that are first used where a GPU is.
UNTRIED = {("rondo-bench-gpu", "--output"), ("rondo-bench-gpu", "--id-file")}

# With this MPI_Init fails in Open MPI.
NO_OPEN_MPI = {"OMPI_MCA_pml": "none_such"}

# What CLI11 says of values, which are for the programs to read.
CLI11_WORDS = re.compile(
    r"\b(Check|FAILED|TEXT|INT|UINT|FLOAT|BOOLEAN|Value|value \w+ not in range|convert|not in)\b"
    r"|->|\{"
)


class Case(NamedTuple):
    program: Path
    option: str
    arguments: list[str]
    words: list[str]


def options_of(program: Path) -> dict[str, str]:
    """What --help lists, by name; an empty type is a flag's."""
    said = help_text.read(subprocess.check_output([program, "--help"], text=True))
    return {option.name: option.kind for option in [*said.arguments, *said.options]}


def no_such_option(program: Path) -> list[str]:
    return [*BEFORE.get(program.name, []), "--no-such-option"]


def cases_of(program: Path) -> list[Case]:
    cases = []
    wrong = WRONG[program.name]
    for option, kind in options_of(program).items():
        before = BEFORE.get(program.name, [])
        if option in NOT_BEFORE or option in before:
            before = []
        is_named = option.startswith("--")
        if kind == "":
            given = [*before, f"{option}=5"]
            cases.append(Case(program, option[2:], given, ["disallowed flag override"]))
            continue
        if (program.name, option) not in UNTRIED:
            for value, words in wrong[option]:
                given = [f"{option}={value}"] if is_named and value else [option, value]
                arguments = given if is_named else [value]
                said = value.split(",")[-1].split(":")[0 if "=" in value else -1]
                cases.append(Case(program, option, [*before, *arguments], [said, *words]))
        if is_named:
            cases.append(Case(program, option, [*before, option], [f"1 required {kind} missing"]))
    cases.append(Case(program, "--no-such-option", no_such_option(program), ["not expected"]))
    return cases


class CommandLines(calling.ProgramTest):
    def test_wrong_values(self):
        programs = [program for program in PROGRAMS if program.name in WRONG]
        cases = [case for program in programs for case in cases_of(program)]
        with ThreadPoolExecutor(4) as pool:
            done = pool.map(lambda case: run(case.program, *case.arguments), cases)
            for case, one in zip(cases, done):
                with self.subTest(arguments=case.arguments, program=case.program.name):
                    self.check(case, one)

    def check(self, case, done):
        is_file = any(NOWHERE in argument for argument in case.arguments)
        words = case.words if is_file else [case.option, *case.words]
        self.assert_refused(done, case.program.name, *words)
        (sentence,) = calling.sentences(case.program.name, done)
        self.assertIsNone(CLI11_WORDS.search(sentence), sentence)

    def test_every_option_is_tried(self):
        for program in PROGRAMS:
            if program.name not in WRONG:
                continue
            there = {name for name, kind in options_of(program).items() if kind}
            tried = set(WRONG[program.name]) | {
                option for name, option in UNTRIED if name == program.name
            }
            self.assertEqual(there, tried, program.name)

    def test_contradictions(self):
        rows = [
            ("rondo-bench", "--seed 1 --seed 2", ["--seed", "received 2"]),
            ("rondo-bench", "alltoall alltoallv", ["alltoallv"]),
            ("rondo-bench", "alltoall --contender a.so --contender b/a.so", ["a row 'a' already"]),
            ("rondo-tune", "", ["--output is required"]),
            ("rondo-fft", "--grid 2x2", ["--grid", "--decomposition"]),
            ("rondo-fft", "--blocks 1 --points 8", ["--blocks excludes --points"]),
            ("rondo-kcfa", "--print-program", ["--print-program", "--generate"]),
        ]
        programs = {program.name: program for program in PROGRAMS}
        for name, arguments, words in rows:
            if name in programs:
                case = Case(programs[name], words[0], arguments.split(), words)
                with self.subTest(program=name, arguments=arguments):
                    self.check(case, run(case.program, *case.arguments))

    def test_refusals_come_before_mpi(self):
        """Also where MPI cannot be started."""
        for program in PROGRAMS:
            with self.subTest(program=program.name):
                done = run(program, *no_such_option(program), variables=NO_OPEN_MPI)
                self.assert_refused(done, program.name, "--no-such-option")

    def test_versions(self):
        said = set()
        for program in PROGRAMS:
            done = run(program, "--version")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            match = re.fullmatch(rf"{program.name} (\d+\.\d+\.\d+)\n", done.stdout)
            self.assertIsNotNone(match, done.stdout)
            said.add(match[1])
        self.assertEqual(len(said), 1, said)


if __name__ == "__main__":
    PROGRAMS = [Path(argument).resolve() for argument in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1], verbosity=2)
