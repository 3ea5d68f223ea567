"""The public names of the package: what their docstrings say, and what their signatures are."""

import ast
import importlib
import importlib.util
import inspect
from pathlib import Path
from typing import NamedTuple

MODULES = (
    "errors exchange neighbors plans requests group received typing schedule registry model select "
    "simulate show measurements pivots plots"
).split()
# Modules that need a package for which Rondo has an extra.
MODULES += ["arrow"] * bool(importlib.util.find_spec("pyarrow"))
# A module without __all__ has these.
_NAMES = {"errors": ["Error"], "plots": ["Plot"]}


class Documented(NamedTuple):
    """A function, a class or a method, with the names that its examples may use."""

    name: str
    thing: object
    doc: str
    names: dict


def _members(name, thing, names):
    yield Documented(name, thing, inspect.cleandoc(thing.__doc__ or ""), names)
    if inspect.isclass(thing):
        for member, value in vars(thing).items():
            value = getattr(value, "__func__", value)
            if not member.startswith("_") and hasattr(value, "__doc__") and value.__doc__:
                yield Documented(f"{name}.{member}", value, inspect.cleandoc(value.__doc__), names)


def documented(module_name):
    """The module itself, and everything public in it."""
    module = importlib.import_module(f"rondo.{module_name}")
    yield Documented(module.__name__, module, inspect.cleandoc(module.__doc__), vars(module))
    for name in _NAMES.get(module_name, getattr(module, "__all__", ())):
        thing = getattr(module, name)
        is_own = getattr(thing, "__module__", "").startswith("rondo")
        if is_own and (inspect.isclass(thing) or callable(thing)):
            yield from _members(f"{module.__name__}.{name}", thing, vars(module))


class Signature(NamedTuple):
    parameters: list
    returns: bool


def signatures():
    """By Class.method or function: of Python's sources, and of the stub of what is compiled."""
    import rondo

    folder = Path(rondo.__file__).parent
    files = [folder / f"{name}.py" for name in MODULES if (folder / f"{name}.py").exists()]
    files += [folder / "_core.pyi", *(folder / "show").glob("*.py"), folder / "arrow/__init__.py"]
    found = {}
    for file in files:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                found[node.name] = _signature(node)
            elif isinstance(node, ast.ClassDef):
                for member in node.body:
                    if isinstance(member, ast.FunctionDef) and not _is_property(member):
                        found[f"{node.name}.{member.name}"] = _signature(member)
    return found


def _is_property(node):
    words = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    return not words.isdisjoint(("property", "setter"))


def _signature(node):
    given = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    names = [name for name in given if name not in ("self", "cls")]
    names += [f"*{node.args.vararg.arg}"] if node.args.vararg else []
    names += [f"**{node.args.kwarg.arg}"] if node.args.kwarg else []
    is_none = isinstance(node.returns, ast.Constant) and node.returns.value is None
    return Signature(names, not is_none)
