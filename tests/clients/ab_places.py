"""The places of whole runs: ranks on this machine, or on several nodes of a cluster."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

import cluster
from launching import finish, users_environment
from mpis import system
from workspace import SOURCE

# Programs must not start threads besides their ranks.
VARIABLES = {"OMP_NUM_THREADS": "1"}
AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")


@dataclass(frozen=True)
class Where:
    name: str
    ranks: int
    nodes: int = 1

    @contextlib.contextmanager
    def up(self):
        """Yields a function (command, folder, seconds) that runs a command on these ranks."""
        if self.nodes == 1:
            yield self._on_this_machine
            return
        with cluster.up(self.nodes) as name, without_groups():
            yield lambda *run: self._on_nodes(name, *run)

    def _on_this_machine(self, workspace, command, folder, seconds):
        launcher = system(workspace, "openmpi").launcher
        words = [SOURCE / "tools/mpirun", "--launcher", launcher, "-n", self.ranks, *command]
        return finish(words, seconds, folder, users_environment(**VARIABLES))

    def _on_nodes(self, name, workspace, command, folder, seconds):
        options = ["--name", name, "--ranks-per-node", self.ranks // self.nodes]
        options += ["--mpirun", system(workspace, "openmpi").launcher]
        for variable in VARIABLES.items():
            options += ["--env", "=".join(variable)]
        for path in (workspace.folder, SOURCE):
            options += ["--share", path]
        words = [cluster.CLUSTER, "run", *options, "--", *command]
        return finish(words, seconds, folder, users_environment())


@contextlib.contextmanager
def without_groups():
    """Linux does not schedule each node's ranks as a group, as tools/cluster advises."""
    try:
        before = AUTOGROUP.read_text()
        AUTOGROUP.write_text("0")
    except OSError:
        yield
        return
    try:
        yield
    finally:
        AUTOGROUP.write_text(before)


PLACES = (
    Where("2 ranks", 2),
    Where("8 ranks", 8),
    Where("16 ranks", 16),
    Where("4 x 8 ranks", 32, nodes=4),
)
