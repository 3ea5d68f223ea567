"""Every command reads what is a regular file and nothing else, and all write files in one way."""

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from test_commands import as_user, require_refused, rondo, rondo_process

from rondo import files
from rondo.report.state import write_whole

# What reads a file that the user names.
READERS = {
    "plot": ["plot"],
    "profile": ["profile", "show"],
    "explain": ["explain", "-n", 2, "--bytes", 64, "--profile"],
    "model": ["model", "-n", 2, "--bytes", 64, "--machine"],
    "run": ["run", "--profile"],
}


@pytest.fixture
def no_waiting():
    """A test that waits for a pipe fails."""

    def fail(*_):
        raise TimeoutError("this waits for ever")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("command", READERS.values(), ids=READERS)
def test_what_is_no_regular_file_is_not_read(tmp_path, no_waiting, command):
    pipe, folder = tmp_path / "pipe.toml", tmp_path / "folder.toml"
    os.mkfifo(pipe)
    folder.mkdir()
    zero = tmp_path / "zero.toml"
    zero.symlink_to("/dev/zero")
    for path, why in (
        (pipe, "Not a regular file"),
        (zero, "Not a regular file"),
        (folder, "Is a directory"),
        (tmp_path / "no.toml", "o"),  # a sentence of its own with profiles
    ):
        more = ["--", "mpirun", "a"] if command[0] == "run" else []
        done = rondo(*command, path, *more)
        require_refused(done, why)
        assert str(path) in done.stderr


def test_a_file_that_is_too_long_is_not_read(tmp_path):
    long = tmp_path / "long"
    with long.open("wb") as file:
        file.truncate(files.MOST_BYTES + 1)
    require_refused(rondo("plot", long), f"cannot read {long}: Longer than 256 MiB")


def show(path):
    return rondo("show", "spread_out", "-n", 4, "--format", "svg", "--output", path)


def plot(path):
    plots = pytest.importorskip("rondo.plots", exc_type=ImportError)
    from matplotlib.figure import Figure

    plots.Plot(Figure(figsize=(4, 2))).save(path)


# What writes a picture, or as `rondo report` a page.
WRITERS = {"show": show, "plot": plot, "report": lambda path: write_whole(path, "<svg ></svg>\n")}


def require_written(path):
    text = path.read_text(encoding="utf-8")
    assert "<svg " in text and text.endswith("</svg>\n")


def require_no_draft(folder, *names):
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


def test_a_file_is_replaced_with_its_mode(tmp_path):
    old = tmp_path / "old"
    old.write_text("old")
    old.chmod(0o640)
    with old.open() as reader:
        assert show(old) == (0, "", "")
        assert reader.read() == "old"  # whoever has it open reads all of what was there
    require_written(old)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        assert show(tmp_path / "new") == (0, "", "")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    require_no_draft(tmp_path, "old", "new")


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_link_stays(tmp_path, write, is_there):
    """Also one whose target is not there yet."""
    target, link = tmp_path / "there" / "target", tmp_path / "link.svg"
    target.parent.mkdir()
    if is_there:
        target.write_text("old")
    link.symlink_to("there/target")
    write(link)
    assert link.is_symlink()
    require_written(target)
    require_no_draft(target.parent, "target")


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_device_is_written_to(tmp_path, write):
    null = tmp_path / "null.svg"
    null.symlink_to("/dev/null")
    write(null)
    assert null.is_symlink() and stat.S_ISCHR(null.stat().st_mode)


def test_a_pipe_is_written_to_if_somebody_reads_it(tmp_path, no_waiting):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    require_refused(show(pipe), f"cannot write {pipe}: nobody reads from this pipe")
    read = []
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    with os.fdopen(reader) as opened:
        thread = threading.Thread(target=lambda: read.append(opened.read()))
        writing = os.open(pipe, os.O_WRONLY)  # so that the reader does not end before the command
        thread.start()
        done = show(pipe)
        os.close(writing)
        thread.join()
    assert done == (0, "", "") and read[0].startswith("<svg ")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


ROOT = os.geteuid() == 0
MOUNTED = ["unshare", "-m", "sh", "-c", 'mount --bind end "$1" && shift && exec "$@"', "sh"]


def give_away(path):
    os.chown(path, 54321, 54321)


# How a file is made one whose replacement somebody could see, and the words before the command.
KEPT = {
    "two names": (lambda path: path.with_name("other").hardlink_to(path), []),
    "a folder that is only read": (lambda path: path.parent.chmod(0o555), as_user()),
    "root writes somebody else's": (give_away, []),
    "somebody else's": (give_away, ["setpriv", "--bounding-set=-all"]),
    "a mount": (lambda path: path.with_name("end").write_text("end"), [*MOUNTED, "it"]),
}


@pytest.mark.parametrize(("make", "before"), KEPT.values(), ids=KEPT)
def test_a_file_is_replaced_only_if_nobody_sees_that(tmp_path, monkeypatch, make, before):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "it"
    path.write_text("old")
    path.chmod(0o666)
    if not ROOT and (make is give_away or "unshare" in before):
        pytest.skip("only root can make it")
    make(path)
    if "unshare" in before and subprocess.run([*before, "true"], capture_output=True).returncode:
        pytest.skip("root mounts nothing here")
    names = [entry.name for entry in tmp_path.iterdir()]
    was = path.stat()
    done = rondo_process("show", "spread_out", "-n", 4, "--output", path, before=before)
    tmp_path.chmod(0o755)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    now = path.stat()
    for what in ("st_ino", "st_nlink", "st_mode", "st_uid", "st_gid"):
        if make is not give_away or what != "st_ino" or before:
            assert getattr(now, what) == getattr(was, what), what
    written = tmp_path / "end" if "unshare" in before else path
    assert written.read_text() not in ("old", "end")
    require_no_draft(tmp_path, *names)


def test_a_file_without_a_name_gets_none(tmp_path):
    path = tmp_path / "it"
    with path.open("w+") as file:
        path.unlink()
        files.write(Path(f"/proc/self/fd/{file.fileno()}"), "new")
        assert file.read() == "new"
    require_no_draft(tmp_path)


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "it"])
def test_standard_output_keeps_what_is_printed(tmp_path, name):
    program = f"""
from pathlib import Path
from rondo import files
print("before")
files.write(Path({name!r}), "new\\n")
print("after")
"""
    path = tmp_path / "it"
    with path.open("w") as file:
        subprocess.run([sys.executable, "-c", program], stdout=file, cwd=tmp_path, check=True)
    assert path.read_text() == "before\nnew\nafter\n"


def test_a_folder_that_does_not_exist(tmp_path):
    path = tmp_path / "none" / "it"
    require_refused(show(path), f"cannot write {path}: the folder {path.parent} does not exist")


def test_a_full_disk_leaves_what_was_there(tmp_path):
    old = tmp_path / "old"
    old.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        done = show(old)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    require_refused(done, f"cannot write {old}: File too large")
    assert old.read_text() == "old"
    require_no_draft(tmp_path, "old")


def test_nobody_can_put_a_link_where_the_draft_will_be(tmp_path, monkeypatch):
    """Its name cannot be guessed; and if it could, nothing would be written through the link."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(files.secrets, "token_hex", lambda _: "guessed")
    (tmp_path / ".rondo-guessed").symlink_to(victim)
    require_refused(show(tmp_path / "new"), "File exists")
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_may_not_be_written_is_not_replaced(tmp_path, what):
    """A file that is only to be read stays, though its folder could be written."""
    tmp_path.chmod(0o755)
    path = tmp_path
    if what == "file":
        path = tmp_path / "fixed"
        path.write_text("old")
        path.chmod(0o444)
    command = ["show", "spread_out", "-n", 4, "--output", path]
    done = rondo_process(*command, before=as_user())
    why = "Permission denied" if what == "file" else "Is a directory"
    require_refused(done, f"cannot write {path}: {why}")
