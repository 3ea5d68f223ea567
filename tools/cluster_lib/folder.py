"""The files that describe clusters, one folder for each cluster.

/run/rondo-cluster/NAME/subnet            10.201.K
                        NODE.keeper       process id and start time of the node's keeper
                        bridge.keeper     the same for the keeper of the bridge
                        NODE.socket       where the node accepts commands
                        NODE.log          the output of its keeper
                        hosts             /etc/hosts of the nodes
                        host-tmp          only in the nodes' mount namespaces: the host's /tmp
                        run-PID           files of a run: hostfile, remote shell
                        nodes             the number of nodes; written last, when the cluster is up

A keeper is a process that holds the namespaces of a node, or of the bridge.
"""

import contextlib
import fcntl
import os
import re
import shutil
import signal
import time
from pathlib import Path

from .errors import UNUSABLE, ClusterError

BASE = Path("/run/rondo-cluster")
SECONDS_TO_END = 20
SUBNETS = [f"10.201.{k}" for k in range(256)]


def lock_folder(path):
    """A lock, held until the returned file is closed or this process ends."""
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


@contextlib.contextmanager
def locked():
    """Exclude all others that make or remove folders. BASE exists meanwhile."""
    while True:
        BASE.mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            lock = lock_folder(BASE)
            if BASE.is_dir() and BASE.stat().st_ino == os.fstat(lock).st_ino:
                break  # else the previous owner has removed it
            os.close(lock)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            BASE.rmdir()
        os.close(lock)


def all_names():
    return sorted(path.name for path in BASE.iterdir() if path.is_dir()) if BASE.is_dir() else []


def stat_of(pid):
    """Process group and start time of a process, or None if it does not exist."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else (int(fields[2]), fields[19])


def is_alive(pid, start):
    """Whether this process still runs. A later process with the same id has another start time."""
    found = stat_of(pid)
    return found is not None and found[1] == start


def living_groups():
    stats = [stat_of(path.name) for path in Path("/proc").glob("[0-9]*")]
    return {stat[0] for stat in stats if stat}


class Cluster:
    """The folder of one cluster."""

    def __init__(self, name):
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", name):
            raise ClusterError(f"the name {name!r} may only contain a-z, 0-9 and -", UNUSABLE)
        self.name = name
        self.path = BASE / name
        self.lock = None

    @classmethod
    def existing(cls, name):
        cluster = cls(name)
        if not cluster.path.is_dir():
            others = ", ".join(all_names()) or "none"
            message = f"there is no cluster {name} (up: {others})"
            raise ClusterError(f"{message}; tools/cluster up N --name {name} creates it")
        return cluster

    @classmethod
    def working(cls, name):
        cluster = cls.existing(name)
        dead = [node for node in ("bridge", *cluster.nodes()) if not cluster.has_keeper(node)]
        if dead or not cluster.nodes():
            message = f"cluster {name} is incomplete"
            raise ClusterError(f"{message}; tools/cluster down --name {name} removes it")
        return cluster

    def create(self):
        """Reserve the name and a subnet. No other process removes them until this one ends."""
        with locked():
            # The networks are separate, so equal subnets would work, but be confusing.
            taken = {path.read_text() for path in BASE.glob("*/subnet")}
            try:
                self.path.mkdir()
            except FileExistsError:
                message = f"cluster {self.name} is already up"
                down = f"tools/cluster down --name {self.name}"
                raise ClusterError(f"{message}; {down} removes it") from None
            self.lock = lock_folder(self.path)
            free = [subnet for subnet in SUBNETS if subnet not in taken]
            (self.path / "subnet").write_text((free or SUBNETS)[0])
            (self.path / "host-tmp").mkdir()

    def nodes(self):
        """The nodes' host names; empty while the cluster is being created."""
        try:
            count = int((self.path / "nodes").read_text())
        except FileNotFoundError:
            return []
        return [f"node{i}" for i in range(count)]

    def finish(self, count):
        (self.path / "nodes").write_text(str(count))

    def subnet(self):
        return (self.path / "subnet").read_text()

    def address(self, i):
        return f"{self.subnet()}.{i + 1}"

    def socket(self, node):
        return self.path / f"{node}.socket"

    def log(self, node):
        return self.path / f"{node}.log"

    def record(self, node, pid):
        """All of it at once: a signal may end `up` at any time."""
        stat = stat_of(pid)
        file = self.path / f"{node}.keeper"
        new = file.with_suffix(".new")
        new.write_text(f"{pid} {stat[1] if stat else 0}")
        new.rename(file)

    def keepers(self, node):
        """Process id and start time of the keeper of a node or of the bridge; with *, of all."""
        return [path.read_text().split() for path in self.path.glob(f"{node}.keeper")]

    def has_keeper(self, node):
        return any(is_alive(*keeper) for keeper in self.keepers(node))

    def remove_stale_runs(self):
        """Remove the files of runs that were killed. Their processes have ended."""
        for run in self.path.glob("run-*"):
            if stat_of(run.name.partition("-")[2]) is None:
                shutil.rmtree(run, ignore_errors=True)

    def remove(self):
        """Kill the keepers, and with them all processes, mounts and links. Remove the files."""
        if self.lock is None:
            self.lock = lock_folder(self.path)  # waits for `up`
        deadline = time.monotonic() + SECONDS_TO_END
        groups = {int(pid) for pid, start in self.keepers("*") if is_alive(pid, start)}
        # A node's keeper is a group of two processes: `unshare` and process 1 of the node, which
        # ends after all others there.
        while groups := groups & living_groups():
            if time.monotonic() > deadline:
                raise ClusterError(f"processes {sorted(groups)} of cluster {self.name} do not end")
            for group in groups:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
            time.sleep(0.01)
        with locked():
            shutil.rmtree(self.path, ignore_errors=True)
