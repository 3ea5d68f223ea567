"""Docstrings of all public names: their sections are complete, and their examples run."""

import ast
import inspect
import re
import sys
from pathlib import Path

import pytest
from calling import run
from public_names import MODULES, documented, signatures

from rondo import mpi_library, programs
from rondo._described import docstring

mpi4py = pytest.importorskip("mpi4py")
mpi4py.rc.initialize = False  # this process is no rank: it starts launchers
pytest.importorskip("matplotlib")
if not mpi_library.families():
    pytest.skip("the package was built without MPI", allow_module_level=True)

LEAST_EXAMPLES = 150
SIGNATURES = signatures()
NAMES = [one for module in MODULES for one in documented(module)]
OWN = {one.name: one for one in NAMES if not inspect.ismodule(one.thing)}


def section(doc, title):
    """The names or types that a section lists; None where there is no such section."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[^\n]*\n-+$|\Z)", doc, re.M | re.S)
    return found and re.findall(r"^(\S.*?)(?: : .*)?$", found[1], re.M)


def own_name(name):
    """Class.method or function, without its module."""
    *_, first, last = name.split(".")
    return f"{first}.{last}" if first[0].isupper() else last


def test_there_are_names():
    some = "exchange.alltoallv plans.Plan.execute model.Contest.best".split()
    assert {f"rondo.{name}" for name in some} <= set(OWN)
    assert len(OWN) > 90


@pytest.mark.parametrize("name", OWN)
def test_sections(name):
    """Every parameter is described, and what is returned."""
    one = OWN[name]
    if "Protocol" in str(getattr(one.thing, "__mro__", "")) or name.startswith("rondo.typing"):
        return  # of which nobody calls anything
    signature = SIGNATURES.get(own_name(name))
    if inspect.isclass(one.thing):
        assert ">>> " in one.doc, "a class without an example"
        signature = SIGNATURES.get(f"{own_name(name)}.__init__")
        described = section(one.doc, "Parameters")
        assert described is None or signature and described == signature.parameters
        return
    if signature is None:
        assert isinstance(one.thing, property) or not callable(one.thing)
        return
    assert (section(one.doc, "Parameters") or []) == signature.parameters
    assert bool(section(one.doc, "Returns")) == signature.returns
    if "." not in own_name(name):
        assert ">>> " in one.doc, "a function without an example"


def test_docstrings_are_made_of_the_sources_alone():
    """What the decorator makes of a function that is loaded, the site makes of its source."""
    shown = {(name.split(".")[1], name.rpartition(".")[2]): one.doc for name, one in OWN.items()}
    described = []
    for file in Path(programs.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if "described" in map(ast.unparse, getattr(node, "decorator_list", [])):
                names = [one.arg for one in node.args.args if one.arg != "self"]
                words = (node.name, names, ast.unparse(node.returns), ast.get_docstring(node))
                assert docstring(*words) == shown[file.stem, node.name]
                described.append(node.name)
    assert len(described) == 21


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", [1, 2])
def test_examples(ranks):
    launch = [str(programs.find("rondo-mpirun")), "--mpi", mpi_library.family_here()]
    program = Path(__file__).parent / "docstrings.py"
    done = run(*launch, "-n", ranks, sys.executable, program)
    assert done.returncode == 0, done.stdout + done.stderr
    (examples,) = re.findall(rf"^(\d+) examples right on {ranks} ranks$", done.stdout, re.M)
    assert int(examples) > LEAST_EXAMPLES
