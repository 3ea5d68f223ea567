"""`rondo tune`, with a program that prints what rondo-tune prints and measures nothing."""

import json
import os
import sys

import pytest
from calling import write_program
from profile_files import LAYOUT, profile, write
from test_commands import require_refused, rondo

from rondo import mpi_library, profiles, programs

# Says of what it was told all that a test wants to know, and writes what stands beside it.
TUNE = """#!{python}
import json, os, pathlib, shutil, sys
folder = pathlib.Path(__file__).parent
options = dict(zip(sys.argv[1:-1:2], sys.argv[2:-1:2]))
with open(folder / "started", "a") as file:
    print(json.dumps([os.environ.get("LAUNCHED"), options, sys.argv[-1]]), file=file)
print("what a rank [b]prints[/b]")
print('{{"done": true}}')
for step in range(11):
    print(json.dumps({{"done": step / 10, "doing": "alltoallv, S = 1024: [b]node_aware"}}))
if (folder / "profile.json").exists():
    shutil.copy(folder / "profile.json", options["--output"])
    layout = {layout}
    print(json.dumps({{"written": options["--output"], "layout": layout, "bands": 4}}))
else:
    sys.exit("rondo-tune: cannot write")
"""
LAUNCHER = """#!/bin/sh
LAUNCHED="$*"
export LAUNCHED
while [ "$1" = -n ]; do shift 2; done
exec "$@"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Programs: rondo-tune, and the package's launcher."""
    tune = TUNE.format(python=sys.executable, layout=LAYOUT)
    for name, text in (("rondo-tune", tune), ("rondo-mpirun", LAUNCHER)):
        write_program(tmp_path / name, text)
    write(tmp_path / "profile.json", profile())
    monkeypatch.setattr(programs, "find", lambda name: tmp_path / name)
    monkeypatch.setattr(programs, "_packaged", lambda name, family: tmp_path / "none")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(6)))
    return tmp_path


def started(folder):
    return [json.loads(line) for line in (folder / "started").read_text().splitlines()]


def test_two_ranks_then_all_cores(folder):
    into = folder / "into.json"
    done = rondo("tune", "--budget", "2m", "--output", into)
    assert done.returncode == 0, done.stderr
    calls = started(folder)
    assert [call[1]["--budget"] for call in calls] == ["60", "60"]
    assert [call[1]["--output"] for call in calls] == [str(into)] * 2
    assert [call[2] for call in calls] == ["--progress"] * 2
    for call, ranks in zip(calls, (2, 6)):
        assert call[0].startswith(f"-n {ranks} {folder}/rondo-tune ")
    assert done.stdout.count(f"wrote {into}") == 2
    assert "100%" in done.stdout and "what a rank [b]prints[/b]" in done.stdout
    assert '{"done": true}' in done.stdout
    assert "alltoallv, 8 ranks on 2 nodes, 4 a node" in done.stdout
    assert "pairwise" in done.stdout and "6 ranks" not in done.stdout
    assert rondo("profile", "check", into).returncode == 0


def test_as_it_is_launched(folder, monkeypatch):
    into = folder / "named.json"
    monkeypatch.setenv("RONDO_PROFILE", str(into))
    done = rondo("tune", "--", folder / "rondo-mpirun", "-n", 7)
    assert done.returncode == 0, done.stderr
    ((launched, options, _),) = started(folder)
    assert launched.startswith(f"-n 7 {folder}/rondo-tune --budget 60 ")
    assert options["--output"] == str(into)


@pytest.mark.skipif(not mpi_library.family_here(), reason="there is no MPI library")
def test_into_the_place_where_the_library_looks(folder, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    (folder / "rondo").mkdir()
    assert rondo("tune").returncode == 0
    assert profiles.in_use().path == folder / "rondo" / f"{mpi_library.family_here()}.json"
    assert profiles.in_use().profile is not None


def test_a_failure_of_the_program(folder):
    (folder / "profile.json").unlink()
    done = rondo("tune", "--output", folder / "into.json")
    assert done.returncode == 3
    said = " ".join(done.stderr.split())
    what = "this command ended with status 1 while it measured alltoallv, S = 1024: [b]node_aware: "
    assert f"nothing was written; {what}{folder}/rondo-mpirun -n" in said
    assert len(started(folder)) == 1 and not (folder / "into.json").exists()


@pytest.mark.parametrize(
    ("script", "ended"),
    [
        ("echo no such host >&2; exit 3", "ended with status 3 before rondo-tune began"),
        ("kill -KILL $$", "ended with signal 9 (Killed) before rondo-tune began"),
    ],
)
def test_a_launch_that_fails(folder, script, ended):
    launcher = write_program(folder / "launch", f"#!/bin/sh\n{script}\n")
    done = rondo("tune", "--output", folder / "into.json", "--", launcher, "-n", 2)
    assert done.returncode == 3
    said = " ".join(done.stderr.split())
    assert f"this command {ended} to measure: {launcher} -n 2 {folder}/rondo-tune --budget" in said


def test_a_file_on_another_machine(folder, monkeypatch):
    """Rank 0 wrote the file on its own machine."""

    def no_file(path):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(profiles, "read", no_file)
    done = rondo("tune", "--output", folder / "into.json", "--", folder / "rondo-mpirun")
    assert done.returncode == 0
    assert "cannot show the decisions" in done.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--budget", "soon"], "--budget is 'soon', must be from 1s to 100000s"),
        (["--budget", "0"], "--budget is '0', must be"),
        (["--budget", "-1s"], "--budget is '-1s', must be"),
        (["--budget", "9999h"], "--budget is '9999h', must be"),
        (["--budget", "nan"], "--budget is 'nan', must be"),
    ],
)
def test_tune_refuses(folder, options, sentence):
    require_refused(rondo("tune", "--output", folder / "into.json", *options), sentence)
    assert not (folder / "started").exists()


def test_no_such_launcher(folder):
    done = rondo("tune", "--output", folder / "into.json", "--", "no-such-launcher", "-n", 2)
    require_refused(done, "cannot start no-such-launcher", status=3)


def test_a_launcher_that_starts_nothing(folder):
    done = rondo("tune", "--output", folder / "into.json", "--", "true")
    assert done.returncode == 3
    assert "true ended without output of rondo-tune" in done.stderr


@pytest.mark.parametrize(
    ("budget", "seconds"), [("90", "90"), ("1s", "1"), ("2m", "120"), ("1.5h", "5400")]
)
def test_budgets(folder, budget, seconds):
    command = ["--budget", budget, "--output", folder / "into.json", "--"]
    assert rondo("tune", *command, folder / "rondo-mpirun").returncode == 0
    assert started(folder)[0][1]["--budget"] == seconds
