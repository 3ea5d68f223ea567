"""The examples of the documents do what they say, and the commands in them exist.

The README's program in C and the lines of CMake are tests/install's, the algorithm of
CONTRIBUTING.md is tests/unit's.
"""

import doctest
import functools
import itertools
import re
import sys
from pathlib import Path

import pytest
from calling import run
from document_text import DOCUMENTS, SOURCE, blocks, commands
from test_commands import rondo

from rondo import mpi_library, programs

EXAMPLES = [
    pytest.param(
        text,
        id=f"{document.relative_to(SOURCE)}-{number}",
        marks=[pytest.mark.ranks] if "mpi4py" in text else [],
    )
    for document in DOCUMENTS
    for number, text in enumerate(blocks(document, "python"))
]
COMMANDS = [
    pytest.param(words, id=f"{document.relative_to(SOURCE)}: {' '.join(words)[:60]}")
    for document in DOCUMENTS
    for words in commands(document)
]
# Where the languages are tested that are not tested here.
ELSEWHERE = {
    ("README.md", "c"): "tests/install/install_test.py",
    ("docs/library.md", "cmake"): "tests/install/install_test.py",
    ("docs/libraries.md", "cmake"): "tests/install/install_test.py",
    ("CONTRIBUTING.md", "cpp"): "tests/unit/contributed_test.py",
    ("docs/hangs.md", "text"): "tests/python/test_watching.py",
    ("docs/programs.md", "text"): "tests/python/test_exchange.py",
    ("docs/start.md", "c"): "tests/python/test_tutorial.py",
    ("docs/start.md", "text"): "tests/python/test_tutorial.py",
    ("docs/site.md", "text"): "tests/dropin/component_test.py",
    ("docs/whatif.md", "text"): "tests/python/test_whatif.py",
}
# Programs of the build that a document shows in a language.
SHOWN = {
    ("docs/library.md", "c"): "example.c",
    ("docs/library.md", "cpp"): "example.cpp",
    ("docs/library.md", "fortran"): "example.f90",
    ("docs/groups.md", "c"): "example_group.c",
}
ELSEWHERE.update(dict.fromkeys(SHOWN, "examples/CMakeLists.txt"))
# Programs that are not ours, and what the reader has.
OTHERS = {
    "apt",
    "export",  # see test_variables_exist
    "kill",
    "module",
    "cc",
    "mpicc",
    "mpicxx",
    "pip",
    "cat",
    "cd",
    "cmake",
    "ctest",
    "compute-sanitizer",
    "ompi_info",
    "source",
    "sysctl",
    "xargs",
}


def is_session(text):
    return text.lstrip().startswith(">>>")


def test_there_are_examples():
    assert len(EXAMPLES) >= 3 and len(COMMANDS) >= 60


def test_every_language_is_tested():
    for document in DOCUMENTS:
        for language, _ in blocks(document):
            if language != "python":
                tested = ELSEWHERE[str(document.relative_to(SOURCE)), language]
                mark = "rondo_add_mpi_test" if tested.endswith(".txt") else "document_text"
                assert mark in (SOURCE / tested).read_text(encoding="utf-8")


@pytest.mark.parametrize("document, language", SHOWN)
def test_the_programs_shown_are_those_of_the_build(document, language):
    (text,) = blocks(SOURCE / document, language)
    program = SOURCE / "examples" / SHOWN[document, language]
    assert text == program.read_text(encoding="utf-8"), f"copy {program.name} into {document}"
    listed = (SOURCE / "examples/CMakeLists.txt").read_text(encoding="utf-8")
    assert program.name in listed


@pytest.mark.parametrize("text", EXAMPLES)
def test_example(text, tmp_path):
    if is_session(text):
        test = doctest.DocTestParser().get_doctest(text, {}, "example", None, 0)
        assert test.examples and doctest.DocTestRunner().run(test).failed == 0
        return
    if "rondo.torch" in text:
        pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
    program = tmp_path / "example.py"
    program.write_text(text, encoding="utf-8")
    command = [sys.executable, str(program)]
    if "mpi4py" in text:
        pytest.importorskip("mpi4py")
        if "rondo.arrow" in text:
            pytest.importorskip("pyarrow")
        if not mpi_library.families():
            pytest.skip("the package was built without MPI")
        launcher = str(programs.find("rondo-mpirun"))
        command = [launcher, "--mpi", mpi_library.family_here(), "-n", "3", *command]
    done = run(*command, variables={"RONDO_VERBOSE": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip(), "the example prints nothing"


@functools.cache
def help_of(*command):
    if command[0] == "rondo":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", "200")
            done = rondo(*command[1:], "--help")
    else:
        done = run(*command, "--help", variables={"COLUMNS": "200"})
    assert done.returncode == 0, f"{command} has no --help: {done.stderr}"
    return done.stdout


@functools.cache
def targets():
    makefile = (SOURCE / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):", makefile, re.M))


def check_options(words, *command):
    """Every option is one that the program's help names."""
    for word in words:
        option = word.partition("=")[0]
        if re.match(r"--[a-z]", option):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", help_of(*command)), (
                f"{' '.join(command)} has no option {option}"
            )


def is_option(word):
    return word.startswith("-")


def check_make(words):
    for word in words:
        assert "=" in word or word in targets(), f"make knows no {word}"


def check_native(name, words):
    try:
        program = programs.find(name)
    except programs.ProgramNotFound:
        pytest.skip(f"{name} is not built here")
    if words:
        check_options(words, str(program))


def check_script(words):
    if words[:2] == ["-m", "venv"]:
        return
    places = (
        SOURCE / words[0],
        SOURCE / "examples" / words[0],
    )  # the tutorial is read in examples/
    script = next(filter(Path.is_file, places), None)
    assert script is not None, f"there is no {words[0]}"
    has_parts = words[1:2] and words[1] in ("run", "table")
    check_options(words[1:], sys.executable, str(script), *(words[1:2] if has_parts else []))


def check_rondo(words):
    own = words[: words.index("--")] if "--" in words else words
    if own[0] == "bench":  # which hands on what it does not know
        own = [word for word in own if word in ("bench", "--save", "--launcher")]
    check_options(own[1:], "rondo", *(own[:2] if own[0] == "profile" else own[:1]))


def check_launcher(words):
    """mpirun and its like: what follows the number of ranks is a command."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 1 if "=" in words[at] else 2
    if at < len(words):
        check(words[at:])


def check_cluster(words):
    at = words.index("--") if "--" in words else len(words)
    check_options(words[1:at], sys.executable, str(SOURCE / "tools/cluster"), words[0])
    if words[at + 1 :]:
        check(words[at + 1 :])


def check(words):
    """That a command is one which the reader can give."""
    words = list(itertools.dropwhile(lambda word: re.match(r"[A-Za-z_]+=", word), words))
    words = words[words[0] == "sudo" :]
    program, rest = words[0], [word for word in words[1:] if word != "..."]
    name = Path(program).name
    if program in OTHERS or program.startswith("./"):
        return None
    if program == "make":
        return check_make(rest)
    if program == "bash":
        assert (SOURCE / rest[0]).is_file()
        return None
    if program == "python3":
        return check_script(rest)
    if program == "rondo":
        return check_rondo(rest)
    if program in ("mpirun", "srun", "tools/mpirun"):
        return check_launcher(rest)
    if program == "tools/cluster":
        return check_cluster(rest)
    if program.startswith("build/bin/") or name.startswith("rondo-"):
        if name == "rondo-exec":
            return check_native(name, list(itertools.takewhile(is_option, rest)))
        return check_native(name, rest)
    raise AssertionError(f"nothing checks {' '.join(words)!r}")


@pytest.mark.parametrize("words", COMMANDS)
def test_command(words):
    check(words)


def test_variables_exist():
    """Every environment variable that a document names is one that something reads."""
    code = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for folder in ("src", "tools", "bench", "cmake", "python", "tests/support")
        for path in (SOURCE / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    code += (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    for document in DOCUMENTS:
        for name in re.findall(r"\bRONDO_[A-Z_]+\b", document.read_text(encoding="utf-8")):
            assert re.search(rf"\b{name}\b", code), f"{document.name} names {name}"
