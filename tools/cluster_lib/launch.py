"""One mpirun over the nodes of a cluster: the placement of ranks, and Open MPI's options."""

import contextlib
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import remote
from .errors import UNUSABLE, ClusterError
from .network import PROGRAM


def numbers_of_ranks(text, count):
    """`4` or `4,2,6` as one number for each node."""
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise ClusterError(
            f"--ranks-per-node {text} is not a number of ranks, or one per node as in 4,2,6",
            UNUSABLE,
        )
    if len(numbers) == 1:
        numbers *= count
    if len(numbers) != count:
        raise ClusterError(
            f"--ranks-per-node {text} names {len(numbers)} nodes, but {count} are used",
            UNUSABLE,
        )
    return numbers


def place(numbers, placement):
    """The node of every rank."""
    block = [node for node, ranks in enumerate(numbers) for _ in range(ranks)]
    if placement == "block":
        return block
    if placement == "round-robin":
        return [
            node
            for turn in range(max(numbers))
            for node, ranks in enumerate(numbers)
            if turn < ranks
        ]
    match = re.fullmatch(r"random:([0-9]+)", placement)
    if not match:
        raise ClusterError(
            f"--placement {placement} is not block, round-robin or random:SEED", UNUSABLE
        )
    random.Random(int(match[1])).shuffle(block)
    return block


def launcher_of_build(program):
    """The launcher in the CMakeCache.txt of the build tree that holds the program, if any."""
    for folder in program.parents:
        with contextlib.suppress(FileNotFoundError):
            text = (folder / "CMakeCache.txt").read_text(errors="replace")
            match = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", text, re.MULTILINE)
            return match[1] if match else None
    return None


def find_launcher(requested, program):
    """Open MPI's mpirun for this program, and its major version."""
    launcher = requested or launcher_of_build(program) or os.environ.get("MPIRUN")
    for name in [launcher] if launcher else ["mpirun.openmpi", "mpirun"]:
        found = shutil.which(name)
        if not found:
            continue
        version = subprocess.run(
            [found, "--version"], capture_output=True, text=True, check=False
        ).stdout
        match = re.search(r"\((?:Open MPI|OpenRTE)\) (\d+)", version)
        if match:
            return found, int(match[1])
    raise ClusterError(
        f"{launcher or 'mpirun'} is not Open MPI's; choose one with --mpirun", UNUSABLE
    )


def find_program(name):
    found = shutil.which(name)
    if not found:
        raise ClusterError(f"no such program: {name}", UNUSABLE)
    return Path(found).absolute()


def settings_of(version, cluster, folder, options):
    """MCA parameters, as {kind: {name: value}}. In Open MPI 5 the launcher's are separate."""
    subnet = f"{cluster.subnet()}.0/24"
    library = {
        "pml": "ob1",
        "btl": "self,vader,tcp" if version < 5 else "self,sm,tcp",
        "btl_tcp_if_include": subnet,
        "mpi_yield_when_idle": "1",
    }
    agent = str(folder / "agent")
    # Open MPI's daemon must not detach from its remote shell: when that ends, everything that it
    # started in the node is killed.
    if version < 5:
        launcher = {
            "plm_rsh_agent": agent,
            "oob_tcp_if_include": subnet,
            "orte_leave_session_attached": "1",
        }
        launcher["plm_rsh_num_concurrent"] = "256"
        return {"--mca": {**library, **launcher, **dict(options.mca)}}
    launcher = {"plm_ssh_agent": agent, "prte_if_include": subnet, "plm_ssh_num_concurrent": "256"}
    return {"--mca": {**library, **dict(options.mca)}, "--prtemca": launcher}


def forwarded(variables):
    """-x for each VAR or VAR=VALUE, with the caller's value."""
    words = []
    for variable in variables:
        name, given, value = variable.partition("=")
        if not given and name not in os.environ:
            raise ClusterError(
                f"--env {name}: the variable is not set; set it or write {name}=VALUE", UNUSABLE
            )
        words += ["-x", f"{name}={value if given else os.environ[name]}"]
    return words


def command_of(cluster, folder, options, ranks):
    """The mpirun command."""
    launcher, version = find_launcher(options.mpirun, options.program)
    # Called by its absolute path, mpirun sets PATH and LD_LIBRARY_PATH on the nodes. That is right
    # only for an mpirun that a login shell does not find.
    name = Path(launcher).name
    by_name = shutil.which(name, path=remote.PATH) == launcher
    words = [name if by_name else launcher, "--allow-run-as-root"]
    words += ["--hostfile", str(folder / "hostfile"), "-n", str(ranks), "--bind-to", "none"]
    words += (
        ["--map-by", "seq", "--oversubscribe"] if version < 5 else ["--map-by", "seq:OVERSUBSCRIBE"]
    )
    words += ["--leave-session-attached"] if version >= 5 else []
    for kind, settings in settings_of(version, cluster, folder, options).items():
        words += [word for setting in settings.items() for word in (kind, *setting)]
    return [*words, *forwarded(options.env), str(options.program), *options.arguments], launcher


def run(cluster, options):
    """Run the program and return its exit status."""
    nodes = cluster.nodes()
    count = options.nodes or len(nodes)
    if not 1 <= count <= len(nodes):
        raise ClusterError(f"--nodes {count}: cluster {cluster.name} has {len(nodes)}", UNUSABLE)
    ranks = place(numbers_of_ranks(options.ranks_per_node, count), options.placement)
    options.program = find_program(options.words[0])
    options.arguments = options.words[1:]
    folder = cluster.path / f"run-{os.getpid()}"
    command, launcher = command_of(cluster, folder, options, len(ranks))
    share = remote.entries_of_tmp(
        [options.program, Path.cwd(), PROGRAM, sys.executable, launcher, *options.share]
    )
    cluster.remove_stale_runs()
    folder.mkdir()
    try:
        (folder / "hostfile").write_text("".join(f"node{node}\n" for node in ranks))
        write_agent(folder / "agent", cluster, share)
        return remote.run_in_node(cluster, "node0", command, Path.cwd(), share)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_agent(path, cluster, share):
    """Write the remote shell. Its path has no spaces, because Open MPI splits its argument."""
    words = [sys.executable, "-B", str(PROGRAM), "agent", cluster.name]
    words += [word for entry in share for word in ("--share", entry)]
    path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} -- "$@"\n')
    path.chmod(0o755)
