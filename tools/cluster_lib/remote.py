"""The client of node.py: runs a command in a node, and is the remote shell that mpirun uses."""

import contextlib
import json
import os
import pwd
import signal
import socket
from pathlib import Path

from .errors import ClusterError

SECONDS_TO_END = 10  # after the first signal; then, or at the second one, the command is killed
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def login_environment():
    """The environment that sshd gives to a command, whatever the caller's is."""
    user = pwd.getpwuid(os.getuid())
    return {
        "HOME": user.pw_dir,
        "LOGNAME": user.pw_name,
        "PATH": PATH,
        "PWD": user.pw_dir,
        "SHELL": user.pw_shell,
        "USER": user.pw_name,
    }


def entries_of_tmp(paths):
    """The entries of the host's /tmp that contain these paths, with and without following links."""
    entries = set()
    for path in paths:
        # resolve() alone is not enough: the link itself may be in /tmp.
        for place in (Path(os.path.abspath(path)), Path(path).resolve()):  # noqa: PTH100
            if place.is_relative_to("/dev/shm"):
                raise ClusterError(f"{place} is in /dev/shm, but each node has its own; move it")
            if place == Path("/tmp"):
                raise ClusterError("each node has its own /tmp; use a folder in it")
            if place.is_relative_to("/tmp"):
                entries.add("/" + "/".join(place.parts[1:3]))
    return sorted(entries)


def connect(cluster, node):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(cluster.socket(node)))
    return connection


def run_in_node(cluster, node, command, folder, share):
    """Run a command in a node with a login environment and return its exit status.

    SIGTERM, SIGINT and SIGHUP are forwarded. If this process is killed, so are the command and all
    processes that it started.
    """
    request = {
        "command": command,
        "environment": {**login_environment(), "PWD": str(folder)},
        "folder": str(folder),
        "share": share,
    }
    connection = connect(cluster, node)
    forward_signals(connection)
    # The command is in another session than a terminal at stdin, so it could not read from that.
    terminal = os.isatty(0)
    stdin = os.open(os.devnull, os.O_RDONLY) if terminal else 0
    text = json.dumps(request).encode() + b"\n"
    sent = socket.send_fds(connection, [text], [stdin, 1, 2])
    if sent < len(text):  # after the last byte the command may end and the node disconnect
        connection.sendall(text[sent:])
    with connection.makefile("rb") as answers:
        answer = answers.readline()
    if not answer:
        raise ClusterError(f"{node} did not answer; was cluster {cluster.name} taken down?")
    return int(answer)


def forward_signals(connection):
    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

    def kill(*_):
        connection.shutdown(socket.SHUT_WR)

    def pass_on(number, _):
        for again in signals:
            signal.signal(again, kill)
        with contextlib.suppress(BrokenPipeError):  # the command has just ended
            connection.sendall(f"{number}\n".encode())
        signal.alarm(SECONDS_TO_END)

    signal.signal(signal.SIGALRM, kill)
    for number in signals:
        signal.signal(number, pass_on)


def remote_shell(cluster, share, words):
    """Behave as `ssh HOST COMMAND...`: login environment and shell, words joined by spaces."""
    node = words[0]
    if not cluster.socket(node).exists():
        raise ClusterError(f"cluster {cluster.name} has no {node}")
    user = pwd.getpwuid(os.getuid())
    command = [user.pw_shell, "-c", " ".join(words[1:])]
    return run_in_node(cluster, node, command, user.pw_dir, share)
