"""The keeper of a node: process 1 in the node's namespaces, and the sshd of the node.

A process in one node cannot enter the process ids of another (only an ancestor could), so a remote
shell made of nsenter does not work from inside a node. The keeper therefore listens on a socket in
the cluster's folder. A client sends one line of JSON with its stdin, stdout and stderr; the keeper
runs the command in a job of its own and answers with the exit status. Further lines from the client
are signals for the command.

A job ends when its command ends or the client disconnects. Then all of its remaining processes are
killed, including daemons, so nothing survives a killed run.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

CLONE_NEWNS = 0x00020000
MS_BIND = 0x1000
MS_REC = 0x4000
PR_SET_CHILD_SUBREAPER = 36
COULD_NOT_START = 127
LARGEST_REQUEST = 1 << 20

libc = ctypes.CDLL(None, use_errno=True)


def fail(what):
    raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind=None, data=None):
    """Mount as the command does, but without its record in the host's /run."""
    flags = 0 if kind else MS_BIND | MS_REC
    words = [os.fsencode(word) if word else None for word in (source, target, kind)]
    if libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(data) if data else None) != 0:
        fail(f"mount of {source} on {target}")


def keep(cluster, name):
    """Run in new namespaces of every kind (see network.py): set the node up and serve forever."""
    socket.sethostname(name)
    # The entries of the host's /tmp that a job needs are bind-mounted from here.
    mount("/tmp", cluster.path / "host-tmp")
    for folder in ("/tmp", "/dev/shm"):
        mount("rondo-cluster", folder, "tmpfs", "mode=1777")
    mount(cluster.path / "hosts", "/etc/hosts")
    os.chdir("/")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(cluster.socket(name)))
    listener.listen(128)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            serve_and_exit(connection, cluster.path / "host-tmp")
        connection.close()


def serve_and_exit(connection, host_tmp):
    """Serve in a forked process, which must never return to the keeper's loop."""
    try:
        with contextlib.suppress(EOFError):
            serve(connection, host_tmp)
    except (OSError, ValueError) as error:
        print(f"cluster: {error}", file=sys.stderr, flush=True)
        with contextlib.suppress(OSError):
            connection.sendall(f"{COULD_NOT_START}\n".encode())
    finally:
        os._exit(0)


def receive(connection):
    """The request and the client's stdin, stdout and stderr."""
    text, files = b"", []
    while not text.endswith(b"\n"):
        part, more, _, _ = socket.recv_fds(connection, LARGEST_REQUEST, 3)
        if not part:
            raise EOFError  # `up` connects like this to check that the node answers
        text += part
        files += more
    return json.loads(text), files


def serve(connection, host_tmp):
    """Run the job of one client."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, files = receive(connection)
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    # The job gets its own mounts, which end with it, and becomes the parent of orphaned processes.
    if libc.unshare(CLONE_NEWNS) != 0 or libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        fail("making a job")
    for path in request["share"]:
        show(Path(path), host_tmp)
    os.chdir(request["folder"])
    command = subprocess.Popen(
        request["command"], env=request["environment"], start_new_session=True
    )
    try:
        code = watch(connection, command)
    finally:
        kill_descendants()
    with contextlib.suppress(OSError):  # the client may have disconnected
        connection.sendall(f"{code}\n".encode())


def watch(connection, command):
    """Wait for the command and forward signals to it. Return its exit status as a shell does."""
    ended = os.pidfd_open(command.pid)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(connection, select.POLLIN)
    while ended not in [file for file, _ in poll.poll()]:
        text = connection.recv(64)
        if not text:
            return 128 + signal.SIGKILL
        for number in text.split():
            command.send_signal(int(number))
    code = command.wait()
    return code if code >= 0 else 128 - code


def kill_descendants():
    """Kill children until there are none. Orphaned descendants become children of this process."""
    while True:
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def children():
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(folder.name))
    return found


def show(path, host_tmp):
    """Bind-mount an entry of the host's /tmp at the same path in the node."""
    source = host_tmp / path.relative_to("/tmp")
    if source.is_dir():
        path.mkdir(exist_ok=True)
    else:
        path.touch()
    mount(source, path)
