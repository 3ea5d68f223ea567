"""The command rondo, as it is called."""

import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from calling import run, write_program
from typer.testing import CliRunner

from rondo import _core, mpi_library, programs, registry
from rondo.commands import app, say

# A launcher that says who it is, and otherwise repeats its command.
LAUNCHER = """#!/bin/sh
if [ "$1" = --version ]; then echo "mpirun (Open MPI) 4.1.4"; else printf '%s\\n' "$@"; fi
"""


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def rondo(*arguments):
    """Call the command in this process."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def rondo_process(*arguments, before=()):
    """Call the command in a process of its own, behind the words `before`."""
    return run(*before, Path(sys.executable).with_name("rondo"), *arguments)


def rondo_run(*arguments):
    """`rondo run`, which becomes the launcher."""
    return rondo_process("run", *arguments)


def as_user():
    """The words before a command that take root's right to read what it may not."""
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    return drop if os.geteuid() == 0 else []


def rondo_as_user(*arguments):
    return rondo_process(*arguments, before=as_user())


def require_refused(done, sentence, status=2):
    """One sentence, nothing else, and that of wrong use if no other status is said."""
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("rondo: ")
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr


@pytest.fixture
def folder(tmp_path):
    """A folder of programs: a launcher, and rondo-exec, which is never started here."""
    for name in ("mpirun", "rondo-exec"):
        write_program(tmp_path / name, LAUNCHER)
    return tmp_path


def test_version():
    assert rondo("--version") == (0, f"rondo {_core.version}\n", "")


def test_list_has_every_algorithm():
    done = rondo("list")
    assert done.returncode == 0
    assert all(row.name in done.stdout for row in registry.algorithms())
    assert "padded_bruck" not in rondo("list", "alltoall").stdout
    assert rondo("list", "alltoallw").stdout == rondo("list", "alltoallv").stdout
    require_refused(rondo("list", "gather"), "no collective 'gather'")


def test_list_breaks_no_name_on_a_narrow_terminal(monkeypatch):
    monkeypatch.setattr(say.console, "width", 80)
    printed = rondo("list").stdout
    assert max(map(len, printed.splitlines())) == 80
    assert "…" not in printed
    for name in ("zero_rotation_bruck", "MPI_Reduce_scatter_block", "neighbourhood"):
        assert name in printed


def test_show_shows_rounds_and_blocks():
    done = rondo("show", "two_phase_bruck", "-n", 8, "--radix", 2)
    assert done.returncode == 0
    assert "K = 3" in done.stdout and "D = 12" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["2", "2", "2", "4", "2–3,", "6–7"] in lines
    for word in ("Start", "Round 3", "2→0", "2·0"):
        assert word in done.stdout
    assert rondo("show", "two_phase_bruck:radix=2", "-n", 8).stdout == done.stdout


def test_show_of_more_ranks_than_can_be_drawn():
    done = rondo("show", "two_phase_bruck", "-n", 1024)
    assert done.returncode == 0
    assert "K = 10" in done.stdout and "for at most 32 ranks" in done.stdout
    require_refused(rondo("show", "two_phase_bruck", "-n", 33, "--format", "svg"), "at most 32")


def test_show_has_8_ranks_unless_told():
    assert (
        rondo("show", "two_phase_bruck").stdout == rondo("show", "two_phase_bruck", "-n", 8).stdout
    )
    on_nodes = rondo("show", "node_aware", "--nodes", 2)
    assert on_nodes.stdout == rondo("show", "node_aware", "-n", 8, "--ranks-per-node", 4).stdout


def test_show_in_a_narrow_terminal(monkeypatch):
    monkeypatch.setattr(say.console, "width", 60)
    done = rondo("show", "two_phase_bruck", "-n", 32)
    assert "needs a terminal" in done.stdout and "0·1" not in done.stdout


def test_show_between_nodes_shows_who_leads():
    done = rondo("show", "node_aware:parts=2", "--ranks", 12, "--nodes", 3)
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    for line in (["1", "1", "0", "1", "0", "4", "8"], ["1", "2", "1", "2", "3", "7", "11"]):
        assert line in lines
    for word in ("slots", "landing area", "receive buffers", "P0*"):
        assert word in done.stdout


def test_show_knows_the_names_of_the_past():
    done = rondo("show", "hierarchical", "-n", 4, "--nodes", 2)
    assert done.stdout == rondo("show", "node_aware", "-n", 4, "--nodes", 2).stdout


@pytest.mark.parametrize(
    ("format", "beginning"),
    [("svg", "<svg "), ("html", "<!DOCTYPE html>"), ("terminal", "tunable")],
)
def test_show_writes_files(tmp_path, format, beginning):
    path = tmp_path / "picture"
    command = ["show", "tunable_bruck", "-n", 8, "--radix", 3, "--format", format]
    assert rondo(*command, "--output", path) == (0, "", "")
    assert path.read_text(encoding="utf-8").startswith(beginning)
    assert rondo(*command).stdout == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--format", "png"], "format is 'png', must be terminal, svg, html, json or csv"),
        (["--output", "no/picture"], "cannot write no/picture: the folder "),
        (["--radix", "1"], "radix is 1"),
        (["--radix", "3", "--nodes", "2"], "radix is given twice"),
        (["--ranks", "0"], "--ranks is 0, must be in 1.."),
        (["--ranks", str(2**31 - 1)], f"--ranks is {2**31 - 1}, must be in 1.."),
        (["--ranks", str(2**31)], f"--ranks is {2**31}, must be in 1.."),
        (["--nodes", str(10**30)], f"--nodes is {10**30}, must be in 1.."),
    ],
)
def test_show_refuses(options, sentence):
    algorithm = "tunable_bruck:radix=2" if "twice" in sentence else "tunable_bruck"
    require_refused(rondo("show", algorithm, "-n", 4, *options), sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["pigeon", "-n", 4], "no algorithm 'pigeon'; there are: mpi, "),
        (["two_phase_bruk"], "no algorithm 'two_phase_bruk' (did you mean two_phase_bruck?)"),
        (["Node-Aware"], "no algorithm 'Node-Aware' (did you mean node_aware?)"),
        (["mpi", "-n", 4], "the schedule of mpi is unknown"),
        (["tunable_bruck", "-n", 4, "--nodes", 3], "4 ranks do not fill 3 equal nodes"),
        (["tunable_bruck:radix=[b]", "-n", 4], "radix is '[b]'"),
    ],
)
def test_show_of_what_is_not_there(arguments, sentence):
    require_refused(rondo("show", *arguments), sentence)


def test_run_puts_rondo_exec_before_the_program(folder, monkeypatch):
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    options = ["--stats", "--ab", "--record", "calls"]
    options += ["--algorithm", "tunable_bruck:radix=4", "--via", "component"]
    launch = ["--", "mpirun", "-n", "4", "./program", "--stats"]
    done = rondo_run(*options, "--profile", "mpirun", *launch)
    assert done.returncode == 0, done.stderr
    expected = ["-n", "4", str(programs.find("rondo-exec")), *options]
    expected += ["--profile", str(folder / "mpirun"), "./program", "--stats"]
    assert done.stdout.splitlines() == expected


@pytest.mark.ranks
def test_stats_count_own_calls(tmp_path):
    script = tmp_path / "own.py"
    script.write_text(
        "from mpi4py import MPI\nimport numpy, rondo\n"
        "sent = numpy.arange(MPI.COMM_WORLD.size)\n"
        "for _ in range(20): rondo.alltoall(MPI.COMM_WORLD, sent, numpy.empty_like(sent))\n"
    )
    done = rondo_run("--stats", "--", "rondo-mpirun", "-n", 2, sys.executable, script)
    assert "called by the program: Rondo_Alltoall, 40 calls" in done.stderr, done.stderr


def test_run_refuses(folder, monkeypatch):
    exec_first = "put `rondo-exec` before your program"
    monkeypatch.setenv("PATH", str(folder))
    require_refused(rondo("run", "--", "jsrun", "a"), exec_first)
    require_refused(rondo("run", "mpirun", "--pigeon", "a"), exec_first)
    require_refused(rondo("run", "--watch", "soon", "--", "mpirun", "a"), "'soon' is not a time")
    require_refused(rondo("run", "--watch", "0s", "--", "mpirun", "a"), "'0s' is not a time")
    require_refused(rondo("run", "--watch-abort", "--", "mpirun", "a"), "needs --watch")
    require_refused(rondo("run", "--", "srun", "a"), "cannot start srun", status=3)
    require_refused(rondo("run", "--", "no_such_mpirun", "a"), "is not a launcher")
    misspelt = rondo("run", "--algorithm", "node_awar", "--", "mpirun", "a")
    require_refused(misspelt, "no alltoallv algorithm 'node_awar'")
    alone = "rondo tune starts its own"
    require_refused(rondo("tune", "--", "rondo-mpirun", "-n", "4", "./a"), alone)
    for place, reason in (("no/calls", "No such file"), ("mpirun/calls", "Not a directory")):
        done = rondo("run", "--record", folder / place, "--", "mpirun", "a")
        sentence = f"cannot write count matrices to {(folder / place).parent}: {reason}"
        require_refused(done, sentence)
    for file, reason in (("no.json", "No such file"), (".", "Is a directory")):
        path = folder / file
        done = rondo("run", "--profile", path, "--", "mpirun", "a")
        require_refused(done, f"cannot read the profile {path}: {reason}")
    done = rondo("run", "--pigeon", "mpirun", "a")  # typer's own words, in a frame
    assert done.returncode == 2
    assert "No such option: --pigeon" in done.stderr


def test_run_records_into_a_folder_that_may_not_be_written(folder):
    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    options = ["--record", closed / "calls", "--", folder / "mpirun", "a"]
    require_refused(rondo_as_user("run", *options), f"to {closed}: Permission denied")


@pytest.fixture
def measured(tmp_path):
    """What the real rondo-bench measured, saved."""
    try:
        programs.find("rondo-bench")
    except programs.ProgramNotFound as error:
        pytest.skip(str(error))
    path = tmp_path / "rows.json"
    options = "--iterations 3 --warmup 1 --check --algorithm mpi,fused_bruck:radix=2".split()
    done = rondo("bench", "-n", 2, "--save", path, "alltoallv", "--bytes", "16,64", *options)
    assert done.returncode == 0, done.stderr
    # As it was given; what was not has its default.
    for word in ("alltoallv, uniform, 1 node, 2 ranks", "fused_bruck:radix=2 ", "speedup"):
        assert word in done.stdout
    return path


@pytest.mark.ranks
def test_bench_saves_what_plot_draws(measured, tmp_path):
    rows = [json.loads(line) for line in measured.read_text().splitlines()]
    assert [(row["bytes"], row["errors"]) for row in rows] == [(16, 0)] * 2 + [(64, 0)] * 2
    pytest.importorskip("matplotlib")
    done = rondo("plot", measured, "--output", tmp_path / "plots", "--format", "svg")
    assert done.returncode == 0, done.stderr
    files = sorted((tmp_path / "plots").iterdir())
    assert sorted(done.stdout.split()) == [str(file) for file in files]
    library = re.sub(r"\W", "-", f"{rows[0]['mpi']} {rows[0]['mpi_version']}")
    kinds = ["ranks", "regions", "size", "speedup-size", "speedup"]
    assert [file.stem.partition(f"{library}-")[2] for file in files] == kinds
    of_lines = [file for file in files if file.stem.endswith(("ranks", "size"))]
    assert len(of_lines) == 3 and all("fused_bruck" in file.read_text() for file in of_lines)


def test_bench_says_one_line_of_a_wrong_option(folder, monkeypatch):
    """And starts no launcher, which would add a page."""
    write_program(folder / "rondo-bench", "#!/bin/sh\necho rondo-bench: no >&2\nexit 2\n")
    launcher = folder / "mpirun"
    write_program(launcher, LAUNCHER)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    done = rondo_process("bench", "--launcher", launcher, "nosuch")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("rondo-bench: ")


def test_bench_refuses(folder, monkeypatch):
    write_program(folder / "rondo-bench", LAUNCHER)
    monkeypatch.setenv("PATH", str(folder))
    command = ["--launcher", "no-such-launcher", "alltoall"]
    require_refused(rondo("bench", *command), "cannot start no-such-launcher", status=3)


def test_plot_names_the_file_before_it_needs_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "rondo.plots", raising=False)
    require_refused(rondo("plot", "nosuch.json"), "cannot read nosuch.json")


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        ("", [], "no rows of rondo-bench"),
        ("{\n", [], "not JSON"),
        ('{"collective": "x"}\n', [], "line 1: a row without distribution"),
        (None, [], "cannot read"),
        ("", ["--kind", "pigeon"], "no plot 'pigeon'"),
    ],
)
def test_plot_refuses(tmp_path, text, arguments, sentence):
    pytest.importorskip("matplotlib")
    path = tmp_path / "rows.json"
    if text is not None:
        path.write_text(text)
    require_refused(rondo("plot", path, *arguments), sentence)


def test_entry_points_are_not_the_programs(tmp_path, monkeypatch):
    """An entry point that starts itself would never end."""
    for folder, text in (
        ("first", f"#!{sys.executable}\nfrom rondo.programs import become\nbecome()\n"),
        ("second", "#!/bin/sh\necho the program: $*\n"),
    ):
        write_program(tmp_path / folder / "rondo-pigeon", text)
    entry_point = tmp_path / "first/rondo-pigeon"
    monkeypatch.setenv("PATH", f"{entry_point.parent}{os.pathsep}{tmp_path / 'second'}")
    done = run(entry_point, "a", "b")
    assert (done.returncode, done.stdout) == (0, "the program: a b\n"), done.stderr
    monkeypatch.setenv("PATH", str(entry_point.parent))
    done = run(entry_point)
    assert done.returncode == 3
    assert done.stderr.startswith("rondo: rondo-pigeon not found: ")


def test_programs_that_are_not_there():
    with pytest.raises(programs.ProgramNotFound, match="rondo-pigeon not found"):
        programs.find("rondo-pigeon")


@pytest.mark.skipif(not mpi_library.families(), reason="the package was built without MPI")
def test_the_package_brings_its_launcher():
    assert programs.find("rondo-mpirun").parent == programs.PACKAGED
