"""What is written down about clusters: a folder each.

/run/rondo-cluster/NAME/subnet            10.201.K
                        NODE.keeper       who holds a node's namespaces: process id and start time
                        bridge.keeper     the one that holds the bridge's
                        NODE.socket       where the node takes commands
                        NODE.log          what its keeper had to say
                        hosts             /etc/hosts of the nodes
                        host-tmp          only in the nodes' mount namespaces: the host's /tmp
                        run-PID           of a run: hostfile, remote shell
                        nodes             how many; written last: without it, half made
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
    """A file to close, or to leave to the end of this process."""
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


@contextlib.contextmanager
def locked():
    """Alone among all that make or remove folders. BASE exists then; it goes with the last one."""
    while True:
        BASE.mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            lock = lock_folder(BASE)
            if BASE.is_dir() and BASE.stat().st_ino == os.fstat(lock).st_ino:
                break  # else the one before has removed it
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
    """Process group and start time of a process, or None if no such process lives."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else (int(fields[2]), fields[19])


def is_alive(pid, start):
    """Whether this very process lives: a later one with the same id has another start time."""
    found = stat_of(pid)
    return found is not None and found[1] == start


def living_groups():
    stats = [stat_of(path.name) for path in Path("/proc").glob("[0-9]*")]
    return {stat[0] for stat in stats if stat}


class Cluster:
    """The folder of one cluster."""

    def __init__(self, name):
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", name):
            raise ClusterError(f"the name {name!r} is not made of a-z, 0-9 and -", UNUSABLE)
        self.name = name
        self.path = BASE / name
        self.lock = None

    @classmethod
    def existing(cls, name):
        cluster = cls(name)
        if not cluster.path.is_dir():
            others = ", ".join(all_names()) or "none"
            said = f"there is no cluster {name} (up: {others})"
            raise ClusterError(f"{said}; tools/cluster up N --name {name} makes it")
        return cluster

    @classmethod
    def working(cls, name):
        cluster = cls.existing(name)
        dead = [node for node in ("bridge", *cluster.nodes()) if not cluster.is_kept(node)]
        if dead or not cluster.nodes():
            said = f"cluster {name} is not whole"
            raise ClusterError(f"{said}; tools/cluster down --name {name} removes it")
        return cluster

    def create(self):
        """Reserve the name and a subnet. Until this process ends nobody else removes them."""
        with locked():
            # The networks never meet, so equal subnets would do no harm, but be hard to read.
            taken = {path.read_text() for path in BASE.glob("*/subnet")}
            try:
                self.path.mkdir()
            except FileExistsError:
                said = f"cluster {self.name} is up already"
                down = f"tools/cluster down --name {self.name}"
                raise ClusterError(f"{said}; {down} removes it") from None
            self.lock = lock_folder(self.path)
            free = [subnet for subnet in SUBNETS if subnet not in taken]
            (self.path / "subnet").write_text((free or SUBNETS)[0])
            (self.path / "host-tmp").mkdir()

    def nodes(self):
        """The nodes' host names; none while the cluster is half made."""
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
        stat = stat_of(pid)
        (self.path / f"{node}.keeper").write_text(f"{pid} {stat[1] if stat else 0}")

    def keepers(self, node):
        """Process id and start time of the keeper of a node, or of the bridge, or with * of all."""
        return [path.read_text().split() for path in self.path.glob(f"{node}.keeper")]

    def is_kept(self, node):
        return any(is_alive(*keeper) for keeper in self.keepers(node))

    def remove_stale_runs(self):
        """Files of runs that were killed; their processes went with them."""
        for run in self.path.glob("run-*"):
            if stat_of(run.name.partition("-")[2]) is None:
                shutil.rmtree(run, ignore_errors=True)

    def remove(self):
        """Kill the keepers, and so all processes, mounts and links of the nodes; then the files."""
        if self.lock is None:
            self.lock = lock_folder(self.path)  # waits for `up`
        deadline = time.monotonic() + SECONDS_TO_END
        groups = {int(pid) for pid, start in self.keepers("*") if is_alive(pid, start)}
        # The keeper of a node is a group of two, `unshare` and process 1 of the node, which ends
        # after all others there.
        while groups := groups & living_groups():
            if time.monotonic() > deadline:
                raise ClusterError(f"processes {sorted(groups)} of cluster {self.name} do not end")
            for group in groups:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
            time.sleep(0.01)
        with locked():
            shutil.rmtree(self.path, ignore_errors=True)
