"""What the command shares with all programs of Rondo: help, options, formats, colours, completion,
the exit status and its manual page."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from calling import run, write_program
from document_text import SOURCE
from profile_files import profile, write
from terminal import at_a_terminal
from test_commands import require_refused, rondo, rondo_process

from rondo import _core
from rondo.commands import app, explain, options, status
from rondo.commands.status import Status

RONDO = Path(sys.executable).with_name("rondo")
WIDTH = 80
ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")

# Options that several commands have: their letters, and the values that they may take.
VOCABULARY = {
    "--bytes": ("", {"SIZE", "SIZES"}),
    "--budget": ("", {"TIME"}),
    "--collective": ("", {"|".join(explain._EXPLAINED), "|".join(options.PREDICTED)}),
    "--distribution": ("", {"NAME"}),
    "--format": ("", {"table|json|csv", "terminal|svg|html|json|csv", "png|svg|pdf"}),
    "--help": ("-h", {None}),
    "--launcher": ("", {"COMMAND"}),
    "--machine": ("", {"NAME"}),
    "--nodes": ("", {"N"}),
    "--output": ("-o", {"FILE", "FOLDER"}),
    "--partners": ("", {"K"}),
    "--profile": ("", {"FILE"}),
    "--ranks": ("-n", {"P"}),
    "--ranks-per-node": ("", {"Q"}),
    "--seed": ("", {"SEED"}),
}


def commands(group, before=()):
    for name, command in group.commands.items():
        words = (*before, name)
        if hasattr(command, "commands"):
            yield from commands(command, words)
        else:
            yield words, command


COMMANDS = list(commands(typer.main.get_command(app)))
assert len(COMMANDS) >= 13
ALL = [(), ("profile",), *(words for words, _ in COMMANDS)]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_fits_a_terminal(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    for option in ("--help", "-h"):
        done = rondo(*words, option)
        assert (done.returncode, done.stderr) == (0, "")
        assert max(map(len, done.stdout.splitlines())) <= WIDTH
        assert ESCAPE not in done.stdout


def test_help_in_a_process_is_the_same(monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    done, here = rondo_process("--help"), rondo("--help")
    assert (done.returncode, done.stderr) == (0, "")
    said, said_here = done.stdout.splitlines(), here.stdout.splitlines()
    assert said[1].startswith(" Usage: rondo ") and said[2:] == said_here[2:]


def test_one_name_is_one_thing():
    seen = {}
    for words, command in COMMANDS:
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                continue
            *letters, name = sorted(parameter.opts, key=len)
            assert re.fullmatch(r"--[a-z]+(-[a-z]+)*", name), (words, name)
            letter, kinds = VOCABULARY.get(name, ("", {parameter.metavar}))
            assert "".join(letters) == letter, (words, name)
            assert parameter.metavar in kinds, (words, name)
            seen.setdefault(name, []).append(words)
    assert {name for name, users in seen.items() if len(users) > 1} <= set(VOCABULARY)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("0", [0]),
        ("16,64", [16, 64]),
        ("1k,2M,1g", [1 << 10, 2 << 20, 1 << 30]),
        ("16:100", [16, 32, 64]),
        ("1k:4k,7", [1024, 2048, 4096, 7]),
        ("1KiB,1kb,1KB,16:1k", [1024, 1024, 1024, 16, 32, 64, 128, 256, 512, 1024]),
    ],
)
def test_sizes(text, sizes):
    assert _core.sizes_of("--bytes", text) == sizes


@pytest.mark.parametrize("text", ["", "k", "1q", "-1", "1.5", "8:4", "0:8", "16,", "٣", "1kk"])
def test_what_is_no_size(text):
    with pytest.raises(ValueError, match="^--bytes: "):
        _core.sizes_of("--bytes", text)


# What prints a table for people, and a column that its rows have.
TABLES = [
    (["list"], "algorithm"),
    (["show", "two_phase_bruck", "-n", 8], "hop"),
    (["show", "node_aware", "-n", 12, "--ranks-per-node", 4], "leaders"),
    (["model", "-n", 64, "--nodes", 4, "--bytes", "1k"], "algorithm"),
    (["simulate", "-n", 16, "--nodes", 4, "--bytes", "16:32", "node_aware"], "seconds"),
    (["explain", "-n", 8, "--ranks-per-node", 4, "--bytes", "1k"], "algorithm"),
    (["reproduce", "--list"], "paper"),
    (["profile", "show"], "up_to"),
]


@pytest.fixture
def in_use(tmp_path, monkeypatch):
    path = write(tmp_path / "here.json", profile())
    monkeypatch.setenv("RONDO_PROFILE", str(path))
    return path


@pytest.mark.parametrize(("words", "column"), TABLES, ids=lambda words: str(words[0]))
def test_tables_are_also_for_programs(words, column, in_use):
    done = rondo(*words, "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert rows and all(column in row for row in rows)
    done = rondo(*words, "--format", "json")
    assert done.returncode == 0, done.stderr
    if words[0] in ("model", "simulate", "explain"):
        assert (
            column in done.stdout
            and json.loads(done.stdout)["ranks"] == words[words.index("-n") + 1]
        )
    else:
        told = [json.loads(line) for line in done.stdout.splitlines()]
        as_text = [
            {name: "" if value is None else str(value) for name, value in row.items()}
            for row in told
        ]
        assert as_text == rows
    require_refused(rondo(*words, "--format", "xml"), "format is 'xml', must be ")


# What takes a layout, without it.
PLACED = [
    ["show", "two_phase_bruck"],
    ["show", "node_aware"],
    ["model", "--bytes", "1k"],
    ["simulate", "--bytes", "16", "node_aware", "mpi", "--seed", "7"],
    ["explain", "--bytes", "1k"],
]


def without_times(text):
    """How long a simulation took differs."""
    return re.sub(r" +[0-9]+\.[0-9]{2}$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("words", PLACED, ids=lambda one: one[0])
def test_nodes_are_said_in_one_way(words):
    """Any two of P, N and Q say the third, and all three may be said if they agree."""
    ways = (
        ["--nodes", 2, "--ranks-per-node", 4],
        ["--nodes", 2, "-n", 8],
        ["--ranks-per-node", 4, "-n", 8],
        ["--nodes", 2, "--ranks-per-node", 4, "-n", 8],
    )
    done = [rondo(*words, *way) for way in ways]
    assert [one.returncode for one in done] == [0] * 4, done
    assert len({without_times(one.stdout) for one in done}) == 1
    refused = rondo(*words, "--nodes", 2, "--ranks-per-node", 4, "-n", 12)
    require_refused(refused, "12 ranks do not fill 2 nodes of 4 ranks")
    if words[0] != "show":
        require_refused(rondo(*words, "--nodes", 2), "how many ranks? Give --ranks, or --nodes")


# How they are called, here or in a process of their own, and the status.
STATUSES = [
    (rondo, ["--version"], Status.SUCCESS),
    (rondo, ["no-such-command"], Status.WRONG_USE),
    (rondo, ["model", "--no-such-option"], Status.WRONG_USE),
    (rondo, ["model", "-n", "8", "--bytes", "8", "--machine", "nowhere"], Status.WRONG_USE),
    (rondo_process, ["profile", "show", "/no/such/file"], Status.WRONG_USE),
    (rondo, ["run", "--", "srun-is-not-here"], Status.WRONG_USE),
    (rondo, ["bench", "--launcher", "/no/such/launcher", "alltoall"], Status.CANNOT_START),
    (rondo_process, ["bench", "--launcher", "false", "alltoall"], Status.CANNOT_START),
    (rondo, ["tune", "-o", "/dev/null/x", "--", "/no/such/launcher"], Status.CANNOT_START),
]


@pytest.mark.parametrize(("call", "words", "expected"), STATUSES, ids=lambda one: str(one)[:40])
def test_statuses(call, words, expected, tmp_path, monkeypatch):
    for name in ("rondo-bench", "rondo-tune", "rondo-mpirun"):
        write_program(tmp_path / name, "#!/bin/sh\nexit 0\n")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    done = call(*words)
    assert done.returncode == expected, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("returncode", "wrong", "expected"),
    [
        (0, False, 0),
        (1, True, 1),
        (1, False, 3),  # a launcher's own
        (2, False, 2),
        (4, False, 4),
        (127, False, 3),
        (-9, False, 3),
        (-2, False, 130),
        (130, False, 130),
    ],
)
def test_the_status_of_a_launch(returncode, wrong, expected):
    assert status.of_launch(returncode, wrong) == expected


def test_interrupted(tmp_path):
    launcher = write_program(tmp_path / "launcher", "#!/bin/sh\necho started >&2\nexec sleep 60\n")
    write_program(tmp_path / "rondo-bench", "#!/bin/sh\nexit 0\n")
    variables = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = [str(RONDO), "bench", "--launcher", str(launcher), "alltoall"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=variables, start_new_session=True
    ) as running:
        assert running.stderr.readline() == "started\n"
        os.killpg(running.pid, signal.SIGINT)
        assert running.wait(60) == Status.INTERRUPTED


@pytest.mark.parametrize("format", ["table", "json"])
def test_whoever_reads_may_stop(format):
    """As in `rondo list | head -1`."""
    command = [str(RONDO), "list", "--format", format]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert (running.wait(60), running.stderr.read()) == (Status.SUCCESS, b"")


def test_the_statuses_are_those_of_all_programs():
    native = (SOURCE / "src/base/exit_status.hpp").read_text(encoding="utf-8")
    page = (SOURCE / "docs/commands.md").read_text(encoding="utf-8")
    for number, meaning in status.MEANINGS.items():
        assert f'"  {int(number):<5}{meaning}\\n"' in native
        assert f"| {int(number)} | {meaning} |" in page
    assert set(status.MEANINGS) == set(Status)


LOADED = """
import contextlib, sys
from rondo.commands import app
with contextlib.suppress(SystemExit):
    app(sys.argv[1:])
large = {"numpy", "rich"} & set(sys.modules)
print(*large, *(name for name in sys.modules if name.startswith("rondo.commands.")))
"""


@pytest.mark.parametrize(
    ("words", "needed"),
    [(["--version"], {"status"}), (["list"], {"listing", "options", "say", "status", "rich"})],
)
def test_a_command_loads_no_other(words, needed):
    done = run(sys.executable, "-c", LOADED, *words, variables={"TERM": "dumb"})
    loaded = done.stdout.splitlines()[-1].split()
    assert {name.removeprefix("rondo.commands.") for name in loaded} == needed


# Commands, one after the other in one process, because starting one takes long.
ONE_BY_ONE = """
import contextlib, sys
from rondo.commands import app
for words in (["list"], ["show", "two_phase_bruck", "-n", "4"], ["no-such-command"]):
    with contextlib.suppress(SystemExit):
        app(words)
    sys.stdout.flush()
    print("=" * 9, flush=True)
"""


def test_colours(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    command = [sys.executable, "-c", ONE_BY_ONE]
    colourful = {"TERM": "xterm-256color", "COLUMNS": "120"}
    shown = at_a_terminal(command, colourful).split("=" * 9)
    assert len(shown) == 4 and all(map(COLOUR.search, shown[:3]))
    shown = at_a_terminal(command, {**colourful, "NO_COLOR": "1"})
    assert shown.count("=" * 9) == 3 and not COLOUR.search(shown)
    shown = at_a_terminal(command, {**colourful, "TERM": "dumb"})
    assert shown.count("=" * 9) == 3 and ESCAPE not in shown
    done = run(*command, variables=colourful)
    assert done.stdout.count("=" * 9) == 3 and ESCAPE not in done.stdout + done.stderr


@pytest.fixture(scope="module")
def script():
    """The one that bash loads."""
    return run(RONDO, variables={"_RONDO_COMPLETE": "source_bash"}).stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["rondo", "sim"], {"simulate"}),
        (["rondo", "model", "--for"], {"--format"}),
        (["rondo", "model", "--format", ""], {"table", "json", "csv"}),
        (
            ["rondo", "list", ""],
            {"alltoall", "alltoallv", "alltoallw", "neighbor_alltoallv", "sparse_alltoallv"},
        ),
        (["rondo", "show", "--format", "s"], {"svg"}),
    ],
    ids=lambda one: " ".join(one),
)
def test_bash_completes(script, words, expected):
    ask = (
        'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n'
        "[[ $(complete -p rondo) =~ -F\\ ([^ ]+) ]] || exit 1\n"
        '"${BASH_REMATCH[1]}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"\n'
        "printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )
    path = f"{RONDO.parent}{os.pathsep}{os.environ['PATH']}"
    done = run("bash", "--norc", "-c", script + ask, "bash", *words, variables={"PATH": path})
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == expected


def test_the_manual_page_is_up_to_date():
    page = SOURCE / "packaging/rondo.1"
    made = run(sys.executable, "-B", SOURCE / "tools/pages/command.py", "--check", page)
    assert (made.returncode, made.stderr) == (0, "")
    text = page.read_text(encoding="utf-8")
    for words, _ in COMMANDS:
        assert f".SS rondo {' '.join(words)} " in f"{text} ".replace("\n", " \n")
