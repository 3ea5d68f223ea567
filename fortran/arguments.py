"""What becomes of the arguments of rondo.h's functions in Fortran and in the shims."""

from dataclasses import dataclass

INTEGERS = {
    "int": "integer",
    "MPI_Count": "integer(MPI_COUNT_KIND)",
    "MPI_Aint": "integer(MPI_ADDRESS_KIND)",
}


@dataclass(frozen=True)
class Row:
    """What becomes of a C argument. {type} and {name} are C's, {integer} is INTEGERS[{type}], and
    {waits} is of a start, which uses the argument until the request is complete."""

    module: str = ""  # how the module declares it; several declarations are on several lines
    shim: str = ""  # the parameter of the shim
    value: str = ""  # what the shim passes on to the C interface
    reset: str = ""  # what the shim does before that ...
    settle: str = ""  # ... and after it
    inner: str = ""  # how Fortran declares the shim's parameter, if not as the module does
    passed: str = ""  # what the module passes to the shim then
    local: str = ""  # a declaration that it needs for that,
    after: str = ""  # and what it does afterwards


def handle(value, array=""):
    """One of MPI's handles."""
    shim = "const MPI_Fint {name}[]" if array else "const MPI_Fint* {name}"
    return Row("type({type}), intent(in) :: {name}" + array, shim, value)


def plan(intent, shim, value, settle=""):
    inner = "type(c_ptr), intent({}) :: {{name}}".format("in" if intent == "in" else "inout")
    module = f"type(Rondo_Plan), intent({intent}) :: {{name}}"
    return Row(module, shim, value, "", settle, inner, "{name}%handle")


def text(name, value):
    """A text for C ends in a null character."""
    inner = f"character(kind=c_char), intent(in) :: {name}(*)"
    module = f"character(*), intent(in) :: {name}"
    return Row(module, f"const char* {name}", value, "", "", inner, f"trim({name})//c_null_char")


SOURCES = """\
integer, pointer, intent(out) :: sources(:)
{counts}, pointer, intent(out) :: recvcounts(:)
{displs}, pointer, intent(out) :: rdispls(:)"""
SHOW_SOURCES = """\
call c_f_pointer(found%ranks, sources, [found%count])
call c_f_pointer(found%counts, recvcounts, [found%count])
call c_f_pointer(found%displs, rdispls, [found%count])"""
ROWS = {
    "const void*": Row(
        "type(*), dimension(..), intent(in){waits} :: {name}",
        "const CFI_cdesc_t* {name}",
        "call.send.address",
    ),
    "void*": Row(
        "type(*), dimension(..){waits} :: {name}",
        "const CFI_cdesc_t* {name}",
        "call.recv.address",
    ),
    "INTEGER": Row("{integer}, intent(in) :: {name}", "const {type}* {name}", "*{name}"),
    "INTEGER[]": Row("{integer}, intent(out){waits} :: {name}(*)", "{type} {name}[]", "{name}"),
    "const INTEGER[]": Row(
        "{integer}, intent(in){waits} :: {name}(*)", "const {type} {name}[]", "{name}"
    ),
    "MPI_Datatype": handle("PMPI_Type_f2c(*{name})"),
    "const MPI_Datatype[]": handle("call.{name}", "(*)"),
    "MPI_Comm": handle("call.comm"),
    "MPI_Info": handle("PMPI_Info_f2c(*{name})"),
    # Where C calls an `allocate`, Fortran receives in Rondo's own memory.
    "Rondo_Allocate_function*": Row(value="NULL"),
    "void* extra": Row(value="NULL"),
    "void* allocated": Row(
        "type(c_ptr), intent(out){waits} :: {name}", "void** {name}", "{name}", "*{name} = NULL;"
    ),
    "Rondo_Sources*": Row(
        SOURCES,
        "{type}* sources",
        "sources",
        "*sources = ({type}){{0}};",
        "if (sources->count == 0) *sources = ({type}){{0, nothing, nothing, nothing}};",
        inner="type(c_sources), intent(out) :: sources",
        passed="found",
        local="type(c_sources) :: found",
        after=SHOW_SOURCES,
    ),
    "Rondo_Plan": plan("in", "const Rondo_Plan* {name}", "*{name}"),
    "Rondo_Plan*": plan("inout", "Rondo_Plan* {name}", "{name}"),
    "Rondo_Plan* made": plan(
        "out",
        "Rondo_Plan* {name}",
        "{name}",
        "if (call.error != MPI_SUCCESS) *{name} = RONDO_PLAN_NULL;",
    ),
    "Rondo_Request* made": Row(
        "type(Rondo_Request), intent(out) :: {name}",
        "rondo_f08_request* {name}",
        "&{name}->handle",
        settle="rondo_f08_keep_types(&call, {name});",
        inner="type(Rondo_Request), intent(inout) :: {name}",
        passed="{name}",
    ),
    "Rondo_Request*": Row(
        "type(Rondo_Request), intent(inout) :: {name}",
        "rondo_f08_request* {name}",
        "call.handles",
        "rondo_f08_handles(&call, 1, {name});",
    ),
    "Rondo_Request[]": Row(
        "type(Rondo_Request), intent(inout) :: {name}(count)",
        "rondo_f08_request {name}[]",
        "call.handles",
        "rondo_f08_handles(&call, *count, {name});",
    ),
    "int* flag": Row(
        "logical, intent(out) :: flag",
        "int* flag",
        "flag",
        "*flag = 0;",
        inner="integer, intent(out) :: flag",
        passed="is_complete",
        local="integer :: is_complete",
        after="flag = is_complete /= 0",
    ),
    "const char* collective": text("collective", "collective"),
    # A blank algorithm means auto, as NULL does in C.
    "const char* algorithm": text("algorithm", "*algorithm == '\\0' ? NULL : algorithm"),
    "char* text": Row(
        "character(*), intent(out) :: algorithm",
        "char* text",
        "text",
        "*text = '\\0';",
        inner="character(kind=c_char), intent(out) :: text(*)",
        passed="text",
        local="character(len(algorithm) + 1, c_char) :: text",
        after="algorithm = text(:index(text, c_null_char) - 1)",
    ),
    "int length": Row(
        shim="const int* length",
        value="*length",
        inner="integer, intent(in) :: length",
        passed="len(text)",
    ),
}
