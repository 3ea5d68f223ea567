#!/usr/bin/env python3
"""Write rondo.F90, rondo_calls.F90 and calls.c, from rondo.h, arguments.py and rondo.F90.in, which
has the order of the procedures and what they do. rondo.h must have the functions that librondo
exports, whatever the MPI library's version."""

import argparse
import re
import sys
from dataclasses import astuple, dataclass
from pathlib import Path

from arguments import INTEGERS, ROWS, Row

HERE = Path(__file__).resolve().parent
HEADER = HERE.parent / "include/rondo/rondo.h"
EXPORTS = HERE.parent / "src/api/librondo.map"
WIDTH = 100
# Functions of rondo.h that are not in the module, or are written by hand.
LEFT_OUT = {"Rondo_Algorithm_count", "Rondo_Algorithm_get", "Rondo_Errors_return"}
LEFT_OUT |= {"Rondo_Get_version", "Rondo_Get_last_error"}


@dataclass
class Function:
    """A function of the module. `calls` is that of rondo.h, whose arguments are (type, name)."""

    name: str
    calls: str
    arguments: list

    def __post_init__(self):
        self.is_large = self.name.endswith("_c")
        self.generic = self.name[:-2] if self.is_large else self.name
        self.shim = self.name.replace("Rondo_", "rondo_f08_").lower()
        self.inner = self.name.replace("Rondo_", "c_").lower()
        kinds = [kind for kind, _ in self.arguments]
        self.is_start = self.name.startswith("Rondo_I") or self.name == "Rondo_Start"
        self.is_plan = "MPI_Info" in kinds and "Rondo_Plan*" in kinds
        self.allocates = "Rondo_Allocate_function*" in kinds
        self.rows = [self.row(kind, name) for kind, name in self.arguments]
        self.buffers = re.findall(r"CFI_cdesc_t\* (\w+)", " ".join(row.shim for row in self.rows))
        self.has_types = "const MPI_Datatype[]" in kinds

    def row(self, kind, name):
        """The argument's row, filled in. A key that has the name goes first."""
        general = re.sub(r"\b(int|MPI_Count|MPI_Aint)\b", "INTEGER", kind).replace("_c*", "*")
        keys = [f"{kind} {name}", kind, general]
        if self.is_start or self.is_plan:
            keys.insert(0, f"{kind} made")
        if self.allocates and name == "recvbuf":
            keys.insert(0, f"{kind} allocated")
        row = next((ROWS[key] for key in keys if key in ROWS), None)
        if row is None:
            sys.exit(f"arguments.py has no row for {kind} {name} of {self.name}")
        basic = re.sub(r"const |\*|\[\]", "", kind)
        words = {
            "name": name,
            "type": basic,
            "integer": INTEGERS.get(basic),
            "waits": ", asynchronous" if self.is_start else "",
            "counts": INTEGERS["MPI_Count" if self.is_large else "int"],
            "displs": INTEGERS["MPI_Aint" if self.is_large else "int"],
        }
        return Row(*(cell.format(**words) for cell in astuple(row)))

    def lines(self, column):
        return [line for row in self.rows for line in getattr(row, column).splitlines()]


def expect_same(one, names_of_one, other, names_of_other):
    differing = set(names_of_one) ^ set(names_of_other)
    if differing:
        sys.exit(f"only one of {one} and {other} has {', '.join(sorted(differing))}")


def functions_of(header):
    """The functions by name. One that takes a large count in its only form has two in Fortran."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    declared = re.findall(r"RONDO_API\s+[\w\s*]+?(Rondo_\w+)\(([^)]*)\);", text)
    exported = re.findall(r"^\s+(Rondo_\w+);", EXPORTS.read_text(encoding="utf-8"), re.M)
    expect_same("rondo.h", {name for name, _ in declared}, "librondo.map", exported)
    found = {}
    for name, arguments in declared:
        if name in LEFT_OUT:
            continue
        listed = [
            (kind.strip() + array, word)
            for kind, word, array in re.findall(
                r"(\w[\w* ]*[* ])(\w+)(\[\])?", " ".join(arguments.split())
            )
        ]
        if not name.endswith("_c") and ("MPI_Count", "recvcapacity") in listed:
            found[f"{name}_c"] = Function(f"{name}_c", name, listed)
            listed = [("int" if kind == "MPI_Count" else kind, word) for kind, word in listed]
        found[name] = Function(name, name, listed)
    return found


def filled(head, words, tail="", more="", indent=None):
    """The head, the words with commas between them, and the tail, in lines of at most WIDTH
    characters. All lines but the last end in `more`, and all but the first begin with `indent`."""
    indent = " " * len(head) if indent is None else indent
    lines, line = [], head
    for index, word in enumerate(words, 1):
        text = word + ("," if index < len(words) else tail)
        separator = "" if line in (head, indent) else " "
        if separator and len(line + separator + text + more) > WIDTH:
            lines.append(line + more)
            line, separator = indent, ""
        line += separator + text
    return [*lines, line]


def signature(head, tail, declarations):
    """A Fortran procedure's first line, and its declarations, by type."""
    names = [re.search(r":: (\w+)", line)[1] for line in declarations]
    types = {}
    for line in declarations:
        kind, name = line.split(" :: ")
        types.setdefault(kind, []).append(name)
    yield from filled(f"    {head}(", names, f"){tail}", " &", " " * 8)
    if tail:
        yield "      import"
    for kind, same in types.items():
        yield from filled(f"      {kind} :: ", same, "", " &", " " * 10)
    yield "    end subroutine"


IERROR = "integer, optional, intent(out) :: ierror"


def public_interface(function, has_large):
    yield f"  interface {function.generic}" if has_large else "  interface"
    yield from signature(
        f"module subroutine {function.name}", "", [*function.lines("module"), IERROR]
    )
    yield "  end interface"


def inner_interface(function):
    declarations = [text for row in function.rows if (text := row.inner or row.module)]
    if function.buffers:
        declarations += [f"type(*), intent(in) :: {name}" for name in ("in_place", "bottom")]
    tail = f' bind(C, name="{function.shim}")'
    text = "\n".join([*declarations, IERROR])
    text = text.replace("integer,", "integer(c_int),").replace("MPI_ADDRESS_KIND", "c_intptr_t")
    yield from signature(f"subroutine {function.inner}", tail, text.splitlines())
    yield ""


def procedure(function):
    passed = [
        row.passed or re.search(r":: (\w+)", row.module)[1]
        for row in function.rows
        if row.inner or row.module
    ]
    if function.buffers:
        passed += ["MPI_IN_PLACE", "MPI_BOTTOM"]
    yield f"  module procedure {function.name}"
    yield from (f"    {line}" for line in function.lines("local"))
    yield from filled(f"    call {function.inner}(", [*passed, "ierror"], ")", " &", " " * 8)
    yield from (f"    {line}" for line in function.lines("after"))
    yield "  end procedure"
    yield ""


def shim(function):
    parameters = function.lines("shim")
    places = "NULL, NULL"
    if function.buffers:
        places = "in_place, bottom"
        parameters += ["const void* in_place", "const void* bottom"]
    comm = "PMPI_Comm_f2c(*comm)" if "call.comm" in function.lines("value") else "MPI_COMM_SELF"
    yield from filled(f"void {function.shim}(", [*parameters, "int* ierror"], ") {")
    yield f"  rondo_f08_call call = rondo_f08_begin({comm}, {places});"
    yield from (f"  {line}" for line in function.lines("reset"))
    if function.buffers:
        way = "refuse_gaps" if function.is_start else "point" if function.is_plan else "copy"
        both = ", ".join(
            name if name in function.buffers else "NULL" for name in ("sendbuf", "recvbuf")
        )
        yield f"  rondo_f08_{way}(&call, {both});"
        if function.has_types:
            peers = "rondo_f08_edges" if "neighbor" in function.shim else "rondo_f08_ranks"
            yield f"  rondo_f08_types(&call, {peers}, sendtypes, recvtypes);"
    yield "  if (call.error == MPI_SUCCESS)"
    yield from filled(f"    call.error = {function.calls}(", function.lines("value"), ");")
    yield from (f"  {line}" for line in function.lines("settle"))
    yield "  rondo_f08_end(&call, ierror);"
    yield "}"
    yield ""


def by_size(functions, generate, condition):
    """What is generated for all functions; that of large counts is under the condition."""
    for is_large in (False, True):
        chosen = [function for function in functions if function.is_large == is_large]
        lines = [line for function in chosen for line in generate(function)][:-1]
        yield from [condition, *lines, "#endif"] if is_large else [*lines, ""]


LARGE = "#ifdef RONDO_LARGE_COUNTS"
CALLS_HEAD = """\
! Generated by generate.py from rondo/rondo.h: do not edit. The procedures of module rondo. Each
! passes its arguments to the C shim of the same name, in calls.c, with the addresses of this MPI's
! own MPI_IN_PLACE and MPI_BOTTOM.
submodule(rondo) rondo_calls
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_intptr_t, c_null_char
  use mpi_f08, only: MPI_BOTTOM, MPI_IN_PLACE
  implicit none

  ! Rondo_Sources of rondo.h.
  type, bind(C) :: c_sources
    integer(c_int) :: count
    type(c_ptr) :: ranks, counts, displs
  end type

  interface"""
SHIMS_HEAD = """\
/* Generated by generate.py from rondo/rondo.h: do not edit. The functions that the module `rondo`
 * calls. They convert handles and buffers from Fortran's form to C's and call the C interface. */
/* clang-format off */
#include "rondo_f08.h"

/* Where the arrays of no sources are. */
static const MPI_Count zero = 0;
static const void* const nothing = &zero;
"""


def module(template, functions):
    """The template with its lines that begin with @ filled in; and the functions in its order."""
    names = re.findall(r"^ *@(Rondo_\w+)$", template, re.M)
    expect_same("rondo.h", {one.generic for one in functions.values()}, "rondo.F90.in", names)
    ordered = [functions[name] for name in names]
    large = [functions[name + "_c"] for name in names if name + "_c" in functions]
    generics = {function.generic for function in large}
    lines = ["! Generated by generate.py from rondo/rondo.h and rondo.F90.in: do not edit."]
    for line in template.splitlines():
        marker = line.strip()[1:] if line.strip().startswith("@") else ""
        if marker == "public":
            lines += filled("  public :: ", names, "", " &", " " * 6)
        elif marker == "large":
            parts = [text for one in large for text in public_interface(one, True)]
            lines += [LARGE, *parts, "#endif"]
        elif marker:
            lines += public_interface(functions[marker], marker in generics)
        else:
            lines.append(line)
    return lines, ordered + large


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the files are written")
    folder = parser.parse_args().folder
    template = (HERE / "rondo.F90.in").read_text(encoding="utf-8")
    lines, ordered = module(template, functions_of(HEADER.read_text(encoding="utf-8")))
    texts = {
        "rondo.F90": lines,
        "rondo_calls.F90": [
            CALLS_HEAD,
            *by_size(ordered, inner_interface, LARGE),
            "  end interface\n\ncontains\n",
            *by_size(ordered, procedure, LARGE),
            "end submodule",
        ],
        "calls.c": [SHIMS_HEAD, *by_size(ordered, shim, "#if MPI_VERSION >= 4")],
    }
    for name, parts in texts.items():
        (folder / name).write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
