"""`rondo profile`, `rondo explain` and what `rondo model` takes from a profile."""

import csv
import io
import json
import re
import sys

import pytest
from calling import run
from profile_files import LAYOUT, foreign, layout, machine, profile, signature, write
from test_commands import as_user, require_refused, rondo

from rondo import _core, model, mpi_library, profiles, select

needs_mpi = pytest.mark.skipif(not mpi_library.version_here(), reason="there is no MPI library")
EXPLAINED = ["explain", "--ranks", 8, "--nodes", 2, "--bytes", 64]


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "here.json", profile())


@pytest.fixture
def in_use(file, monkeypatch):
    monkeypatch.setenv("RONDO_PROFILE", str(file))
    return file


def require_warned(done, *sentences):
    """One line of warning; the command went on."""
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert all(sentence in done.stderr for sentence in sentences), done.stderr


def test_show_has_everything(file):
    done = rondo("profile", "show", file)
    assert done.returncode == 0, done.stderr
    for word in (str(file), _core.version, signature()["processor"], "is not valid"):
        assert (word in done.stdout) == (word != "is not valid")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert "alpha, per message 3 us 3 us".split() in lines
    assert "beta, per byte 5 GB/s 5 GB/s".split() in lines
    assert "copied block 4 ns".split() in lines
    assert "0 .. 100 tunable_bruck:radix=3 4.2 us against 5.1".split() in lines
    assert "101 .. mpi [b]the library's own[/i]".split() in lines
    for title in (
        "alltoallv, 8 ranks on 2 nodes, 4 a node",
        "6 ranks on 2 nodes, nodes of unequal",
    ):
        assert title in done.stdout


def test_show_says_where_it_does_not_hold(tmp_path):
    done = rondo("profile", "show", write(tmp_path / "there.json", foreign()))
    assert done.returncode == 0
    assert "It is not valid here: it is of a machine with " in done.stdout


def test_check_of_one_that_holds(file):
    done = rondo("profile", "check", file)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stderr
    assert f"{file} is valid here: Rondo {_core.version}, " in done.stdout
    assert "2 layouts measured" in done.stdout


WRONG = [
    (None, "no profile "),
    ("", "it is not valid JSON (truncated?)"),
    ("[" * 100000, "it is not valid JSON"),
    ("\ud800", "it is not valid JSON"),
    ({}, 'profile has no "schema"'),
    (profile(version=2), "it is of another version than 1"),
    (
        profile(layouts=[layout(first="pigeon")]),
        "profile.layouts[0].alltoallv[0].algorithm is 'pig",
    ),
]


@pytest.mark.parametrize("command", [["profile", "show"], ["profile", "check"]])
@pytest.mark.parametrize(("content", "sentence"), WRONG)
def test_what_is_no_profile(tmp_path, command, content, sentence):
    path = tmp_path / "[b]wrong.json"
    if isinstance(content, str):
        path.write_bytes(content.encode(errors="surrogatepass"))
    elif content is not None:
        write(path, content)
    require_refused(rondo(*command, path), sentence)
    require_refused(rondo(*EXPLAINED, "--profile", path), sentence)
    require_refused(rondo("model", "-n", 8, "--bytes", 8, "--profile", path), sentence)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (foreign(), "it is of a machine with "),
        (profile(rondo="99.0.0"), "it is of Rondo 99.0.0, this is "),
        pytest.param(
            profile(signature={**signature(), "mpi": "Other"}),
            "it is of 'Other'",
            marks=needs_mpi,
        ),
    ],
)
def test_check_of_one_that_does_not_hold(tmp_path, content, sentence):
    path = write(tmp_path / "there.json", content)
    done = rondo("profile", "check", path)
    require_refused(done, f"the profile {path} is not valid here: {sentence}", status=1)


def test_a_folder_is_no_profile(tmp_path):
    require_refused(rondo("profile", "check", tmp_path), "cannot read the profile")
    require_refused(rondo("profile", "check", tmp_path), "Is a directory")


@needs_mpi
def test_the_search_order(tmp_path, monkeypatch):
    name = f"rondo/{mpi_library.family_here()}.json"
    places = [tmp_path / "named.json", tmp_path / "xdg" / name, tmp_path / "home/.config" / name]
    for place in places:
        write(place, profile())
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert f"{places[2]} is valid here" in rondo("profile", "check").stdout
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert f"{places[1]} is valid here" in rondo("profile", "check").stdout
    monkeypatch.setenv("RONDO_PROFILE", str(places[0]))
    assert f"{places[0]} is valid here" in rondo("profile", "check").stdout
    for variable in ("RONDO_PROFILE", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.delenv(variable)
    require_refused(rondo("profile", "check"), "give its file, or set RONDO_PROFILE")


def explained(*options):
    done = rondo(*EXPLAINED, "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def require_bands(told, bands):
    assert told == [
        {"up_to": one.up_to, "algorithm": one.algorithm, "reason": one.reason} for one in bands
    ]


def test_explain_what_is_predicted_for_a_typical_cluster():
    told = explained()
    assert (told["profile"], told["machine"]) == (None, "a typical cluster")
    decided = select.Decisions([4, 4])
    for name in ("alltoall", "alltoallv"):
        require_bands(told[name]["bands"], decided.of(name))
        assert told[name]["algorithm"] == decided.band(name, 64).algorithm
        assert (told[name]["from"], told[name]["compared_at"]) == ("predicted", 64)
        seconds = [one["seconds"] for one in told[name]["compared"]]
        assert seconds == sorted(seconds) and len(seconds) == 4
        fastest = told[name]["compared"][0]["algorithm"].partition(":")[0]
        assert fastest == told[name]["algorithm"].partition(":")[0]
    done = rondo(*EXPLAINED)
    for word in ("alltoallv on 8 ranks, 2 nodes, S = 64: node_aware", "For a typical cluster "):
        assert word in done.stdout


def test_explain_what_was_measured(in_use):
    told = explained()
    assert told["profile"] == str(in_use)
    for name in ("alltoall", "alltoallv"):
        assert told[name]["bands"][0] == profile()["layouts"][0][name][0]
        assert told[name]["from"] == "measured" and "compared" not in told[name]
    assert told["alltoallv"]["algorithm"] == "pairwise"
    assert explained("--bytes", 101)["alltoallv"]["algorithm"] == "spread_out"
    done = rondo(*EXPLAINED, "--collective", "alltoallw")
    assert f"Measured, in {in_use}: measured so." in done.stdout
    assert "tunable_bruck" not in done.stdout


def test_explain_predicts_with_the_machine_of_the_profile(tmp_path):
    """On 16 ranks nothing was measured; without shared memory that does not hold either."""
    path = write(tmp_path / "slow.json", profile(machine=machine(slower=50)))
    for options in (["--ranks", 16], ["--no-shared-memory"]):
        told = explained("--profile", path, *options)
        assert told["machine"] == f"that of {path}"
        typical = explained(*options)
        assert told["alltoallv"]["from"] == "predicted"
        assert told["alltoallv"]["compared"] != typical["alltoallv"]["compared"]
        sizes = [8, 8] if "--ranks" in options else [4, 4]
        shared = "--ranks" in options
        decided = select.Decisions(sizes, profiles.read(path), shared)
        require_bands(told["alltoallv"]["bands"], decided.of("alltoallv"))


def test_explain_nodes_of_unequal_size(in_use):
    assert explained("--ranks", 6, "--node-sizes", "4,2")["alltoallv"]["algorithm"] == "pairwise"
    told = explained("--ranks", 7, "--node-sizes", "4,3")
    assert (told["nodes"], told["alltoallv"]["from"]) == (2, "predicted")


@pytest.mark.parametrize("command", [EXPLAINED, ["model", "-n", 8, "--bytes", 8]])
def test_a_profile_that_auto_passes_over(tmp_path, monkeypatch, command):
    path = write(tmp_path / "there.json", foreign())
    named = rondo(*command, "--profile", path)
    require_warned(named, f"{path} is for another machine")
    monkeypatch.setenv("RONDO_PROFILE", str(path))
    done = rondo(*command)
    require_warned(done, f"the profile {path} is not used: it is of a machine with", "`rondo tune`")
    monkeypatch.setenv("RONDO_PROFILE", str(tmp_path / "none.json"))
    require_warned(rondo(*command), "none.json is not used: No such file or directory")
    monkeypatch.delenv("RONDO_PROFILE")
    assert rondo(*command).stdout == done.stdout != named.stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--ranks", 0], "--ranks is 0, must be in 1..65536"),
        (["--ranks", 1 << 17], "ranks is 131072, must be in 1..65536"),
        (["--nodes", 3], "8 ranks do not fill 3 equal nodes: give --node-sizes"),
        (["--nodes", 9], "8 ranks do not fill 9 equal nodes"),
        (["--node-sizes", "[b]"], "--node-sizes is '[b]', must be as in 16,16,8"),
        (["--node-sizes", "4,5"], "does not add up to 8 ranks"),
        (["--node-sizes", "9,-1"], "must be as in 16,16,8"),
        (["--node-sizes", "4,4", "--ranks-per-node", 4], "cannot be combined"),
        (["-n", 10**15, "--nodes", 10**15], "must be in 1..65536"),
        (["--node-sizes", "4,2,2"], "--node-sizes names 3 nodes, but --nodes is 2"),
        (["--bytes", -1], "--bytes: '-1' is not a size"),
        (["--ranks-per-node", 2], "8 ranks do not fill 2 nodes of 2 ranks"),
        (["--collective", "gather"], "no collective 'gather'; there are: alltoall"),
        (["--partners", 3], "--partners needs --collective neighbor_alltoallv"),
        (["--collective", "sparse_alltoallv", "--partners", 3], "--partners needs --collective"),
        (["--collective", "neighbor_alltoallv", "--partners", 0], "partners is 0, must be in 1.."),
    ],
)
def test_explain_refuses(options, sentence):
    require_refused(rondo(*EXPLAINED, *options), sentence)


# Exchanges with few partners: what is asked besides EXPLAINED, what runs, its reason and the
# beginning of the sentence about it.
FEW = [
    (
        "neighbor_alltoallv",
        ["--partners", 1, "--nodes", 1],
        "mpi",
        "predicted: ",
        "For a typical cluster predicted: ",
    ),
    (
        "neighbor_alltoallv",
        ["--partners", 7, "--bytes", 512],
        "node_aware",
        "predicted: ",
        "For a typical cluster predicted: ",
    ),
    (
        "neighbor_alltoallv",
        ["--no-shared-memory"],
        "mpi",
        "no other algorithm applies",
        "No other algorithm applies.\n",
    ),
    (
        "neighbor_alltoallv",
        ["--nodes", 8],
        "mpi",
        "no other algorithm applies",
        "No other algorithm applies.\n",
    ),
    (
        "sparse_alltoallv",
        ["--nodes", 1],
        "node_aware",
        "a fixed rule: ranks of a node share memory",
        "A fixed rule: ranks of a node share memory.\n",
    ),
    (
        "sparse_alltoallv",
        ["--no-shared-memory"],
        "fused_bruck",
        "a fixed rule: a message to all in few rounds",
        "A fixed rule: a message to all in few rounds.\n",
    ),
    (
        "sparse_alltoallv",
        ["--ranks", 4096],
        "nbx",
        "simulated: no message where nothing is sent",
        "Simulated: no message where nothing is sent.\n",
    ),
]


@pytest.mark.parametrize(("collective", "options", "algorithm", "reason", "sentence"), FEW)
def test_explain_exchanges_with_few_partners(collective, options, algorithm, reason, sentence):
    options = ["--collective", collective, *options]
    told = explained(*options)[collective]
    assert set(told) == {"algorithm", "reason"}
    assert told["algorithm"] == algorithm and told["reason"].startswith(reason)
    printed = rondo(*EXPLAINED, *options).stdout
    assert f": {algorithm}\n{sentence}" in printed and "S bytes" not in printed
    rows = list(csv.DictReader(io.StringIO(rondo(*EXPLAINED, *options, "--format", "csv").stdout)))
    assert [(row["collective"], row["algorithm"]) for row in rows] == [(collective, algorithm)]


@pytest.mark.parametrize("collective", ["sparse_alltoallv", "neighbor_alltoallv"])
def test_only_exchanges_of_all_ranks_have_bands(collective):
    with pytest.raises(ValueError, match="must be alltoall, alltoallv or alltoallw"):
        select.Decisions([4, 4]).of(collective)
    with pytest.raises(ValueError, match="must be neighbor_alltoallv or sparse_alltoallv"):
        select.Decisions([4, 4]).decision("alltoallv")


def test_explain_lists_nothing_twice_and_compares_nothing_with_itself():
    done = rondo("explain", "--nodes", 4, "--ranks-per-node", 16, "--bytes", "1k")
    listed = re.findall(r"^(\S+) +[0-9.]+ +[0-9.]+$", done.stdout, re.MULTILINE)
    assert {"node_aware:inter=direct:radix=2", "node_aware:inter=bruck:radix=2"} <= set(listed)
    for table in done.stdout.split("predicted at S")[1:]:
        names = re.findall(r"^(\S+) +[0-9.]+ +[0-9.]+$", table, re.MULTILINE)
        assert len(names) == len(set(names)) > 2
    found = re.findall(r"\.\. *[0-9]* +(\w+) +predicted: .* \((\w+)\)", done.stdout)
    assert found and all(chosen != other for chosen, other in found)


def test_model_takes_the_machine_of_the_profile(in_use):
    options = ["model", "--ranks", 64, "--ranks-per-node", 1, "--bytes", 400, "--format", "json"]
    options += ["--distribution", "constant"]
    told = json.loads(rondo(*options).stdout)
    assert told["machine"] == f"that of {in_use}"
    there = model.Contest(64, prices=model.hockney(profiles.read(in_use).machine))
    assert [one["seconds"] for one in told["algorithms"]] == [
        one.cost.total for one in there.ranking(400)
    ]
    told = json.loads(rondo(*options, "--machine", "typical").stdout)
    assert told["machine"] == "a typical cluster"
    assert told["algorithms"][0]["seconds"] == model.Contest(64).ranking(400)[0].cost.total
    refused = rondo(*options, "--machine", "typical", "--profile", in_use)
    require_refused(refused, "--machine typical and --profile cannot be combined")
    require_refused(rondo(*options, "--machine", "pigeon"), "no machine 'pigeon'; there are: ")


def test_a_profile_as_an_object(file):
    read = profiles.read(file)
    assert read.layouts[0].layout == LAYOUT
    assert [one.nodes for one in read.layouts] == [2, 2]
    assert [one.per_node for one in read.layouts] == [4, 0]
    assert select.parse_profile(read.text().encode()).text() == read.text()
    assert read.machine.between.hockney.alpha_seconds == 3e-6
    with pytest.raises(ValueError, match="profile is not an object"):
        select.parse_profile(b"[]")
    with pytest.raises(ValueError, match="ranks of a node is 0, must be in 1"):
        select.Decisions([2, 0])
    with pytest.raises(ValueError, match="there is no node"):
        select.Decisions([])


# One after the other in one process, because starting one takes long.
READERS = [
    ["profile", "check"],
    ["profile", "show"],
    ["explain", "--ranks", "8", "--bytes", "64", "--profile"],
    ["model", "--ranks", "8", "--bytes", "64", "--profile"],
    ["plot"],
]
READ_ALL = f"""
import sys
from rondo.commands import app
for words in {READERS}:
    try:
        app([*words, sys.argv[1]])
    except SystemExit as end:
        print(end.code)
"""


def test_a_file_that_may_not_be_read(file):
    file.chmod(0)
    done = run(*as_user(), sys.executable, "-c", READ_ALL, file)
    assert done.stdout.split() == ["2"] * len(READERS)
    sentences = done.stderr.splitlines()
    assert len(sentences) == len(READERS)
    for sentence in sentences:
        assert sentence.startswith("rondo: ") and "Permission denied" in sentence
        assert str(file) in sentence
