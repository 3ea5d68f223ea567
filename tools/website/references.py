"""The pages of the reference: every interface and every command, all from the sources."""

from __future__ import annotations

from collections.abc import Iterator

import commands
import cpp
import fortran
import header
import outside
import prose

C_PAGES = "reference/c"
# What the Python reference shows of the package; each module says in its docstring what it is for.
_MODULES = (
    "exchange neighbors requests plans group arrow torch.exchanges torch.vdev torch.work "
    "torch.backend typing schedule registry model select simulate show measurements pivots results"
).split()


def _text(path: str) -> str:
    return (outside.SOURCE / path).read_text(encoding="utf-8")


def c_header() -> header.Header:
    return header.Header(_text("include/rondo/rondo.h"))


def navigation() -> list[dict[str, str]]:
    """The pages about C."""
    pages = [{one.title: header.page_of(one, C_PAGES)} for one in c_header().groups[1:]]
    return [{"All functions": f"{C_PAGES}.md"}, *pages]


def _python() -> str:
    modules = "".join(f"## rondo.{name}\n\n::: rondo.{name}\n\n" for name in _MODULES)
    return f"# Python reference\n\n::: rondo\n    options:\n      members: false\n\n{modules}"


def _nccl() -> str:
    """The header for GPUs, and what the one between it and MPI adds."""
    page = header.reference(
        header.Header(_text("include/rondo/rondo_nccl.h")), "C reference for GPUs"
    )
    over_mpi = header.Header(_text("include/rondo/rondo_nccl_mpi.h"))
    group = over_mpi.groups[0]
    group.entries = [one for one in group.entries if one.name.startswith("Rondo_nccl_host")]
    said = prose.markdown(over_mpi.preamble)
    return "\n".join([page, f"## rondo_nccl_mpi.h\n\n{said}\n", *header.entries(over_mpi, group)])


def _transport() -> str:
    described = header.Header(_text("include/rondo/transport.h"))
    title = "C reference without MPI"
    return header.reference(described, title, example=_text("examples/example_group.c"))


def _pages() -> Iterator[tuple[str, str]]:
    c = c_header()
    yield f"{C_PAGES}.md", header.reference(c, "C reference", C_PAGES, _text("examples/example.c"))
    yield from header.group_pages(c, C_PAGES)
    yield "reference/cpp.md", cpp.reference(outside.SOURCE / "include/rondo", "C++ reference")
    example = _text("examples/example.f90")
    yield "reference/fortran.md", fortran.reference("Fortran reference", example)
    yield "reference/python.md", _python()
    yield "reference/nccl.md", _nccl()
    yield "reference/transport.md", _transport()
    yield "reference/rondo.md", commands.command_page("The command rondo")
    yield "reference/programs.md", commands.programs_page("Other programs")


def pages() -> dict[str, str]:
    """The paths and the texts, with links to C's functions, which the other languages have too."""
    described = header.places(c_header(), C_PAGES) | {"rondo.h": f"{C_PAGES}.md"}
    return {path: header.linked(text, path, described) for path, text in _pages()}
