#!/usr/bin/env python3
"""What all native programs do alike: help, names of options, formats, exit status, manual pages,
shell completions, and no escape sequences where nobody wants them.

test_habits.py --program build/bin/rondo-bench... --mpirun tools/mpirun
"""

import csv
import functools
import io
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import calling
from calling import options, run, run_ranks
from terminal import at_a_terminal

PAGES = Path(__file__).resolve().parents[2] / "tools/pages"
sys.path.append(str(PAGES))
import help_text  # noqa: E402

WIDTH = 80
ESCAPE = "\x1b"

# Options that several programs have: their letters, and the kinds of values that they may take.
VOCABULARY = {
    "--algorithm": ("", {"NAMES", "NAME"}),
    "--batch": ("", {"1..1000000"}),
    "--budget": ("", {"TIME"}),
    "--bytes": ("", {"SIZES"}),
    "--check": ("", {""}),
    "--distribution": ("", {"NAME"}),
    "--exchange": ("", {"mixed|dynamic|counts"}),
    "--format": ("", {"table|json|csv"}),
    "--generate": ("", {"NAME"}),
    "--help": ("-h", {""}),
    "--iterations": ("", {"1..1000000", "1..2^31-1"}),
    "--list": ("", {""}),
    "--meet": ("", {""}),
    "--output": ("-o", {"FILE", "PREFIX"}),
    "--profile": ("", {"FILE"}),
    "--quiet": ("", {""}),
    "--repeat": ("", {"1..1000000"}),
    "--seed": ("", {"0..2^64-1"}),
    "--stats": ("", {""}),
    "--verify": ("", {""}),
    "--version": ("", {""}),
    "--warmup": ("", {"0..1000000", "0..2^31-1"}),
}
QUICK = "--bytes 0,17 --iterations 3 --warmup 1".split()

# Program, ranks (0: without mpirun), arguments, and the columns by which rows are known.
TABLES = [
    ("rondo-bench", 0, ["alltoallv", "--check", *QUICK], ["algorithm", "bytes"]),
    ("rondo-bench", 2, ["alltoall", "--variants", "--bytes", "16,1k"], ["algorithm", "bytes"]),
    ("rondo-bench", 0, ["--list"], ["collective", "algorithm"]),
    ("rondo-limit", 0, QUICK, ["bytes", "ranks"]),
]
ARMS = [
    ("rondo-closure", 2, ["--generate", "chain:9", "--algorithm", "mpi,auto", "--quiet"]),
    ("rondo-kcfa", 0, ["--generate", "worst:2,1", "--algorithm", "mpi,auto", "--quiet"]),
    ("rondo-spmv", 0, ["--generate", "random:9,2", "--algorithm", "mpi,auto", "--quiet"]),
    ("rondo-fft", 0, ["--points", "64", "--algorithm", "mpi,auto", "--verify", "--quiet"]),
]

# Program, arguments, variables, and the status without mpirun. 1 is in test_cli.py of bench and
# fft, and what ranks refuse together is in the tests of each program.
STATUSES = [
    ("rondo-bench", ["--list"], {}, 0),
    ("rondo-bench", ["alltoall", "--bytes", "x"], {}, 2),
    ("rondo-bench", ["alltoall", "--output", "/dev/null/file"], {}, 2),
    ("rondo-tune", ["--output", "/dev/null/file"], {}, 2),
    ("rondo-limit", ["--bytes", "1m"], {}, 2),
    ("rondo-closure", ["/no/such/file"], {}, 2),
    ("rondo-kcfa", ["/no/such/file"], {}, 2),
    ("rondo-spmv", ["/no/such/file"], {}, 2),
    ("rondo-fft", ["--blocks", "0"], {}, 2),
    ("rondo-exec", [], {}, 2),
    ("rondo-exec", ["true"], {"RONDO_ALLTOALL": "no_such"}, 0),
    ("rondo-exec", ["/no/such/program"], {}, 3),
    ("rondo-judge", ["--no-such-option"], {}, 2),
    ("rondo-tables", ["no_such_section"], {}, 2),
]

# The words of a command line, the word at the cursor, and what bash must offer.
COMPLETIONS = [
    ("rondo-bench --form", {"--format"}),
    ("rondo-bench --format ", {"table", "json", "csv"}),
    ("rondo-bench --format=", {"table", "json", "csv"}),
    ("rondo-bench alltoallv_", {"alltoallv_dynamic"}),
    ("rondo-bench --output know", {"known file"}),
    ("rondo-bench --seed ", set()),
    ("rondo-tune -", {"-h", "--help", "-o", "--output", "--budget", "--quiet", "--progress",
                      "--version"}),
    ("rondo-fft --planning m", {"measure"}),
    ("rondo-closure know", {"known file"}),
    ("rondo-exec --st", {"--stats"}),
    ("rondo-exec --record x ./program know", {"known file"}),
]  # fmt: skip
ASK = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
[[ $(complete -p "$1") =~ -F\\ ([^ ]+) ]] || exit 1
"${BASH_REMATCH[1]}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""


def program(name):
    found = [path for path in options.program if path.name == name]
    if not found:
        raise unittest.SkipTest(f"{name} is not built")
    return found[0]


@functools.cache
def read(path):
    return help_text.read(run(path, "--help").stdout)


def rows(text, form):
    if form == "json":
        return calling.json_rows(text)
    return list(csv.DictReader(io.StringIO(text)))


class Help(unittest.TestCase):
    def test_fits_a_terminal(self):
        for path in options.program:
            for option in ("--help", "-h"):
                done = run(path, option, variables={"COLUMNS": "200"})
                with self.subTest(program=path.name, option=option):
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    wide = [line for line in done.stdout.splitlines() if len(line) > WIDTH]
                    self.assertEqual(wide, [])
                    self.assertNotIn(ESCAPE, done.stdout)

    def test_names_the_program_and_the_same_statuses(self):
        told = {}
        for path in options.program:
            said = read(path)
            self.assertEqual(said.name, path.name)
            (section,) = [one for one in said.sections if one.title == "Exit status"]
            told[path.name] = {one.term: one.text for one in section.blocks if one.term}
        first = next(iter(told.values()))
        self.assertEqual(sorted(first, key=int), ["0", "1", "2", "3", "4", "130"])
        for name, statuses in told.items():
            self.assertEqual(statuses, first, name)

    def test_one_name_is_one_thing(self):
        seen = {}
        for path in options.program:
            for option in read(path).options:
                with self.subTest(program=path.name, option=option.name):
                    self.assertRegex(option.name, r"^--[a-z]+(-[a-z]+)*$")
                    letter, kinds = VOCABULARY.get(option.name, ("", {option.kind}))
                    self.assertEqual(option.letter, letter)
                    self.assertIn(option.kind, kinds)
                    seen.setdefault(option.name, []).append(path.name)
        shared = {name for name, programs in seen.items() if len(programs) > 1}
        self.assertLessEqual(shared, set(VOCABULARY))


class Formats(unittest.TestCase):
    def said(self, name, ranks, arguments, form):
        done = run_ranks(ranks, program(name), *arguments, "--format", form)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def test_rows_are_the_same_in_both(self):
        for name, ranks, arguments, keys in TABLES:
            with self.subTest(program=name, arguments=arguments):
                found = {}
                for form in ("json", "csv"):
                    told = rows(self.said(name, ranks, arguments, form), form)
                    found[form] = [[str(row[key]) for key in keys] for row in told]
                self.assertTrue(found["json"])
                self.assertEqual(found["json"], found["csv"])
                table = self.said(name, ranks, arguments, "table")
                self.assertEqual(calling.json_rows(table), [])
                self.assertIn(found["csv"][0][keys.index("bytes") if "bytes" in keys else 1], table)

    def test_applications_have_a_row_for_each_arm(self):
        for name, ranks, arguments in ARMS:
            with self.subTest(program=name):
                report = json.loads(self.said(name, ranks, arguments, "json"))
                told = rows(self.said(name, ranks, arguments, "csv"), "csv")
                self.assertEqual([row["algorithm"] for row in told], ["mpi", "auto"])
                for row, arm in zip(told, report["arms"]):
                    self.assertEqual(set(arm) - set(row), set())
                    self.assertGreater(float(row["total_seconds"]), 0)
                    self.assertEqual((row["runs"], row["ranks"]), ("1", str(ranks or 1)))
                    for key, value in report.items():
                        if isinstance(value, (int, str)):
                            self.assertEqual(row[key], str(value))


class Statuses(unittest.TestCase):
    def test_each(self):
        for name, arguments, variables, status in STATUSES:
            with self.subTest(program=name, arguments=arguments):
                done = run(program(name), *arguments, variables=variables)
                self.assertEqual(done.returncode, status, done)
                if status not in (0, 3):
                    self.assertEqual(len(calling.sentences(name, done)), 1, done)

    def test_no_memory(self):
        fft = program("rondo-fft")
        if shutil.which("prlimit") is None or b"__asan_init" in fft.read_bytes():
            self.skipTest("this program's memory cannot be limited here")
        done = run("prlimit", "--as=4000000000", fft, "--points", 10**9, "--quiet")
        self.assertEqual(done.returncode, 4, done)
        (sentence,) = calling.sentences("rondo-fft", done)
        self.assertIn("no memory", sentence)

    def test_interrupted(self):
        """As a shell has it: 128 plus the number of the signal."""
        words = [program("rondo-bench"), "alltoall", "--iterations", "1000000", "--quiet"]
        with subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL) as running:
            time.sleep(1)
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.wait(60), -signal.SIGINT)


class Pages(calling.ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rondo-pages-")
        cls.addClassCleanup(folder.cleanup)
        cls.pages = Path(folder.name)
        cls.programs = [
            path for path in options.program if path.name not in ("rondo-judge", "rondo-tables")
        ]
        for path in cls.programs:
            done = run(sys.executable, "-B", PAGES / "build.py", path, "--output", cls.pages)
            assert (done.returncode, done.stderr) == (0, ""), done

    def test_manual_pages(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not here")
        for path in self.programs:
            page = self.pages / f"share/man/man1/{path.name}.1"
            done = run("groff", "-ww", "-man", "-Tascii", "-P-cbou", "-rLL=78n", page)
            with self.subTest(program=path.name):
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                words = set(re.split(r"[\s,]+", done.stdout))
                said = read(path)
                names = {name for option in said.options for name in option.names}
                self.assertLessEqual(names, words)
                titles = "NAME SYNOPSIS DESCRIPTION OPTIONS".split() + ["EXIT STATUS", "SEE ALSO"]
                for title in [*titles, *(section.title.upper() for section in said.sections)]:
                    self.assertRegex(done.stdout, rf"(?m)^{title}$")
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), WIDTH)

    def ask(self, line):
        *words, last = line.split(" ")
        if "=" in last:  # where bash breaks words
            words += [last.partition("=")[0], "="]
        else:
            words.append(last)
        file = self.pages / "share/bash-completion/completions" / words[0]
        done = run("bash", "--norc", "-c", ASK, "bash", file, *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return set(done.stdout.splitlines())

    def test_bash_completes(self):
        self.write("known file", "")
        built = {path.name for path in self.programs}
        for line, expected in COMPLETIONS:
            if line.split()[0] in built:
                with self.subTest(line=line):
                    self.assertEqual(self.ask(line), expected)

    def test_bash_completes_at_the_terminal(self):
        """The key itself, in an interactive shell."""
        file = self.pages / "share/bash-completion/completions/rondo-bench"
        typed = f"source {file}; bind 'set bell-style none'\nrondo-bench --form\tj\t; exit\n"
        shown = at_a_terminal(["bash", "--norc", "--noprofile", "-i"], {"TERM": "dumb"}, typed)
        self.assertIn("rondo-bench --format json ", shown)

    def test_other_shells_accept_theirs(self):
        places = {
            "zsh": "share/zsh/site-functions/_{}",
            "fish": "share/fish/vendor_completions.d/{}.fish",
        }
        for shell, place in places.items():
            for path in self.programs:
                file = self.pages / place.format(path.name)
                text = file.read_text(encoding="utf-8")
                for option in read(path).options:
                    name = option.name if shell == "zsh" else f"-l {option.name[2:]} "
                    self.assertIn(name, text)
                if shutil.which(shell):
                    done = run(shell, "-n", file)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), file)


class Terminals(unittest.TestCase):
    def shown(self, kind, until):
        """The progress of a run that goes on for longer than anybody looks."""
        words = "alltoallv --bytes 1m --iterations 1000000 --algorithm mpi".split()
        return at_a_terminal([program("rondo-bench"), *words], {"TERM": kind}, until=until)

    def test_lines_are_rewritten_on_terminals_that_can(self):
        rewritten = f"\r{ESCAPE}[K"
        self.assertIn(rewritten, self.shown("xterm", rewritten))
        progress = "% alltoallv, S = 1048576"
        shown = self.shown("dumb", progress)
        self.assertIn(progress, shown)
        self.assertNotIn(ESCAPE, shown)


if __name__ == "__main__":
    calling.main(__doc__, several=["program"])
