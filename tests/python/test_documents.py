"""The Python examples of the documents do what they say."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rondo import _core, programs

SOURCE = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "python/README.md"]
    + list((SOURCE / "docs").rglob("*.md"))
)
EXAMPLES = [
    pytest.param(text, id=f"{document.relative_to(SOURCE)}-{number}")
    for document in DOCUMENTS
    for number, text in enumerate(
        re.findall(r"^```python\n(.*?)^```$", document.read_text(encoding="utf-8"), re.M | re.S)
    )
]


def is_session(text):
    return text.lstrip().startswith(">>>")


def run(command, **environment):
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **environment},
    )


def test_there_are_examples():
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("text", EXAMPLES)
def test_example(text, tmp_path):
    if is_session(text):
        test = doctest.DocTestParser().get_doctest(text, {}, "example", None, 0)
        assert test.examples and doctest.DocTestRunner().run(test).failed == 0
        return
    program = tmp_path / "example.py"
    program.write_text(text, encoding="utf-8")
    command = [sys.executable, str(program)]
    if "mpi4py" in text:
        pytest.importorskip("mpi4py")
        if not _core.mpi_family:
            pytest.skip("the package was built without MPI")
        launcher = str(programs.find("rondo-mpirun"))
        command = [launcher, "--mpi", _core.mpi_family, "-n", "3", *command]
    done = run(command, RONDO_VERBOSE="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip(), "the example prints nothing"
    if "rondo_measure" in text:
        assert "measured: " in done.stderr, done.stdout + done.stderr
