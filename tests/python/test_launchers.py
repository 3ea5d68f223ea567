"""Launch commands: where the programs in them are."""

import pytest
from calling import run, write_program

from rondo.launchers import rewrite
from rondo.option_words import CannotRewrite

OPEN_MPI = "mpirun (Open MPI) 4.1.4\n"
OPEN_MPI_5 = "mpirun (Open MPI) 5.0.3\n"
PRRTE = "prterun (PRRTE) 3.0.1\n"
MPICH = "HYDRA build details:\n    Version: 4.0.2\n"
INTEL = "Intel(R) MPI Library for Linux* OS, Version 2021.11\n"
SLURM = ""  # by its name

# What the launcher says of itself, and a command with @ where rondo-exec belongs.
COMMANDS = [
    (OPEN_MPI, "mpirun @ ./a"),
    (OPEN_MPI, "mpirun -n 4 @ ./a -n 5"),
    (OPEN_MPI, "mpirun -np 4 --oversubscribe --bind-to none @ ./a"),
    (
        OPEN_MPI,
        "/usr/bin/mpiexec.openmpi --np 4 -x PATH -x A=b --mca btl self,tcp @ python s.py -v",
    ),
    (OPEN_MPI, "mpirun -H a:2,b:2 -wdir /tmp --report-bindings --allow-run-as-root @ a"),
    (OPEN_MPI, "orterun -hostfile hosts -npernode 2 --tag-output @ a"),
    (OPEN_MPI, "mpirun -n 1 @ ./a 1 : -n 2 --host b @ ./b -x : @ ./c"),
    (OPEN_MPI, "mpirun -n 2 -- @ ./a -- b"),
    (OPEN_MPI_5, "mpirun -n 2 --map-by :OVERSUBSCRIBE --prtemca rmaps seq @ a"),
    (PRRTE, "mpiexec -n 2 --display map --output tag @ a"),
    (MPICH, "mpiexec -n 4 @ ./a"),
    (MPICH, "mpirun.mpich -genv A b -genvall -hosts x,y -ppn 2 -l -np 4 @ ./a -n"),
    (MPICH, "mpiexec -bind-to core -iface lo -prepend-rank -n 1 @ a : -env C d -n 2 @ b"),
    (INTEL, "mpirun -n 4 -perhost 2 -genvlist A,B -print-rank-map @ a"),
    (INTEL, "mpiexec.hydra -f hosts -n 4 @ a"),
    (SLURM, "srun @ ./a"),
    (SLURM, "srun -n4 -N 2 --mpi=pmix --cpu-bind none -lu @ ./a -n 3"),
    (SLURM, "/opt/bin/srun --ntasks 4 --exclusive -p short --time=1:00 @ a"),
    (SLURM, "srun -n 1 @ a : -n 2 @ b"),
    # Before the launcher: commands that start another one.
    (OPEN_MPI, "taskset -c 0,1 mpirun -n 2 @ ./a"),
    (OPEN_MPI, "taskset 0x3 mpirun -n 2 @ ./a"),
    (OPEN_MPI, "/usr/bin/taskset -ac 0 mpirun @ ./a -c 1"),
    (OPEN_MPI, "numactl --interleave=all --cpunodebind 0 -l mpirun -n 2 @ ./a"),
    (OPEN_MPI, "numactl -N0 -m 1 mpirun -n 2 @ ./a"),
    (OPEN_MPI, "env mpirun @ ./a"),
    (OPEN_MPI, "env -u HOME -- A=1 B=two mpirun @ ./a"),
    (OPEN_MPI, "env -i -u HOME A=1 B=two mpirun @ ./a A=1"),
    (OPEN_MPI, "nice mpirun @ a"),
    (OPEN_MPI, "nice -n 5 mpirun @ a"),
    (OPEN_MPI, "nice -10 mpirun @ a"),
    (OPEN_MPI, "nice --adjustment=5 ionice -c2 -n 7 mpirun @ a"),
    (OPEN_MPI, "timeout -k 5 1h time -p stdbuf -oL nohup setsid -w chrt -b 0 mpirun -n 3 @ a"),
    (MPICH, "env A=1 nice numactl -i all taskset -c 1 mpiexec -n 4 @ a"),
    (SLURM, "salloc -N2 -t 5 --exclusive srun -n 4 @ a"),
    (SLURM, "salloc -n 4 env A=1 srun @ a"),
    (OPEN_MPI, "rondo-mpirun --mpi openmpi -n 4 @ ./a -n"),
    (OPEN_MPI, "/opt/bin/rondo-mpirun @ ./a"),
    (OPEN_MPI, "env -iu HOME a.b=1 mpirun @ ./a"),
    (SLURM, "srun -ln 4 @ ./a"),
    (SLURM, "srun -lun4 @ ./a"),
    # Between the launcher and the program.
    (OPEN_MPI, "mpirun -n 2 env -iu HOME @ ./a"),
    (OPEN_MPI, "mpirun -n 2 env a.b=1 @ ./a"),
    (OPEN_MPI, "mpirun -n 4 numactl --cpunodebind=0 @ ./a -n"),
    (OPEN_MPI, "mpirun -n 4 env A=1 taskset -c 0 nice -n 1 @ ./a"),
    (OPEN_MPI, "taskset -c 0 mpirun -n 1 env A=1 @ ./a : -n 1 nice @ ./b"),
    (SLURM, "srun -n 4 numactl -m 0 @ ./a"),
]

# The same for what a shell is given as one word: before and after.
SCRIPTS = [
    ("mpirun -n 2 ./a", "mpirun -n 2 @ ./a"),
    ("exec mpirun -n 2 ./a", "exec mpirun -n 2 @ ./a"),
    (
        "A=1 B='2 3' mpirun -n 2 ./a 'one word' \"$HOME\"",
        "A=1 B='2 3' mpirun -n 2 @ ./a 'one word' \"$HOME\"",
    ),
    ("mpirun -n $N ./a $ARGUMENTS", "mpirun -n $N @ ./a $ARGUMENTS"),
    ('mpirun -n "$N" "$EXE"', 'mpirun -n "$N" @ "$EXE"'),
    ("cd /tmp && mpirun -n 2 ./a > out 2>&1", "cd /tmp && mpirun -n 2 @ ./a > out 2>&1"),
    ("module load mpi; mpirun -n 2 ./a | tee log", "module load mpi ; mpirun -n 2 @ ./a | tee log"),
    ("mpirun a &\nmpirun b &\nwait", "mpirun @ a & \n mpirun @ b & \n wait"),
    ("mpirun a || echo failed", "mpirun @ a || echo failed"),
    ("taskset -c 0 mpirun -n 2 nice ./a", "taskset -c 0 mpirun -n 2 nice @ ./a"),
    ("mpirun -n 2 \\\n  ./a", "mpirun -n 2 @ ./a"),
    ("mpirun -n 2 ./a#1", "mpirun -n 2 @ ./a#1"),
]

UNKNOWN = [
    (OPEN_MPI, "jsrun -n 4 ./a", "'jsrun' is not a launcher that .*: put `rondo-exec` before your"),
    ("some script", "/bin/mpirun -n 4 ./a", "'/bin/mpirun' is not a launcher"),
    (OPEN_MPI, "mpiexec_mpt -n 4 ./a", "not a launcher that is on PATH: install an MPI library"),
    ("some script", "mpirun.lsf ./a", "not a launcher that is on PATH: install an MPI library"),
    (OPEN_MPI, "flux_solver", "'flux_solver' is not a launcher, and no such program is on PATH$"),
    (OPEN_MPI, "./program", "'./program' is not a launcher, and no such program is on PATH$"),
    (OPEN_MPI, "mpirun --pigeon 4 ./a", "option '--pigeon'"),
    (OPEN_MPI, "mpirun -n4 ./a", "option '-n4'"),
    (MPICH, "mpiexec -tune ./a", "option '-tune'"),
    (SLURM, "srun --multi-prog file", "option '--multi-prog'"),
    (OPEN_MPI, "mpirun -n 4", "as in `rondo run -- mpirun -n 4 ./program`"),
    (OPEN_MPI, "mpirun -n 1 a : -n 2", "`rondo run -- mpirun -n 1 a : -n 2 ./program`"),
    (OPEN_MPI, "mpirun -n 1 a :", "no program"),
    (OPEN_MPI, "mpirun -n 4 --", "no program"),
    (OPEN_MPI, "", "no command"),
    (OPEN_MPI, "./job.sh mpirun ./a", "is not a launcher"),
    (OPEN_MPI, "taskset -p 1 mpirun ./a", "taskset's option '-p'"),
    (OPEN_MPI, "env -S mpirun ./a", "env's option '-S'"),
    (OPEN_MPI, "numactl --pigeon mpirun ./a", "numactl's option '--pigeon'"),
    (OPEN_MPI, "taskset -c 0", "no program in 'taskset -c 0'"),
    (OPEN_MPI, "nice ./a", "'./a' is not a launcher"),
    (OPEN_MPI, "mpirum -n 2 ./a", "no such program is on PATH; did you mean mpirun?"),
    (OPEN_MPI, "mpiexe -n 2 ./a", "no such program is on PATH; did you mean mpiexec?"),
    (OPEN_MPI, "/bin/ls -l", "put one before it, as in `rondo run -- mpirun -n 4 /bin/ls`"),
    ("", "/no/such/mpirun -n 2 ./a", "on PATH: install an MPI library, or load its module"),
    (OPEN_MPI, "bash job.sh", "cannot rewrite job.sh, which bash executes"),
    (OPEN_MPI, "mpirun -n 2 sh step.sh", "cannot rewrite step.sh, which sh executes"),
    (SLURM, "sbatch job.sh", "put `rondo run --` before srun in it"),
]

UNCLEAR_SCRIPTS = [
    ("./a", "found no launcher"),
    ("cd x && ./a", "found no launcher"),
    ("", "found no launcher"),
    ("for i in 1 2; do mpirun a; done", "does not understand 'for i"),
    ("if true; then mpirun a; fi", "does not understand 'if true"),
    ("(mpirun a)", "does not understand"),
    ("mpirun a `hostname`", "does not understand"),
    ("mpirun $(cat options) a", "does not understand"),
    ("mpirun $OPTIONS a", "does not know what \\$OPTIONS expands to"),
    ("mpirun -n 2 >log a", "does not know what >log expands to"),
    ("mpirun 'a", "does not understand"),
    ("mpirun a # b", "does not understand '# b'"),
    ("mpirun --pigeon 4 a", "option '--pigeon'"),
    ("mpirun -n 2 sh -c 'cd x; ./a'", "does not know which command of"),
]


@pytest.mark.parametrize(("said", "command"), COMMANDS)
def test_prefix_is_before_every_program(said, command):
    prefix = ["/bin/rondo-exec", "--stats"]
    words = command.split()
    given = [word for word in words if word != "@"]
    expected = [part for word in words for part in (prefix if word == "@" else [word])]
    assert rewrite(given, prefix, lambda program: said) == expected


@pytest.mark.parametrize(("said", "command", "sentence"), UNKNOWN)
def test_unknown_commands_get_a_sentence(said, command, sentence):
    with pytest.raises(CannotRewrite, match=sentence) as caught:
        rewrite(command.split(), ["rondo-exec"], lambda program: said)
    has_launcher = "is not a launcher" not in str(caught.value)
    is_whole = has_launcher and "no program" not in str(caught.value)
    if command and is_whole and not command.startswith("sbatch"):
        assert "put `rondo-exec` before your program" in str(caught.value)


@pytest.mark.parametrize(("script", "sentence"), UNCLEAR_SCRIPTS)
def test_unclear_scripts_get_a_sentence(script, sentence):
    with pytest.raises(CannotRewrite, match=sentence) as caught:
        rewrite(["bash", "-c", script], ["rondo-exec"], lambda program: OPEN_MPI)
    assert "put `rondo-exec` before your program" in str(caught.value)


@pytest.mark.parametrize(("script", "expected"), SCRIPTS)
@pytest.mark.parametrize("shell", ["bash -c", "sh -ec", "env A=1 /bin/bash --norc -o pipefail -lc"])
def test_scripts_of_shells(shell, script, expected):
    words = [*shell.split(), script, "zero"]
    made = rewrite(words, ["/bin/rondo-exec", "--record", "a b"], lambda program: OPEN_MPI)
    assert made[: len(words) - 2] == words[:-2] and made[-1] == "zero"
    assert made[-2].split() == expected.replace("@", "/bin/rondo-exec --record 'a b'").split()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("./a $OMPI_COMM_WORLD_RANK", "@ ./a $OMPI_COMM_WORLD_RANK"),
        ("exec nice ./a", "exec nice @ ./a"),
    ],
)
def test_scripts_of_ranks(script, expected):
    made = rewrite(["mpirun", "-n", "2", "sh", "-c", script], ["@"], lambda program: OPEN_MPI)
    assert made == ["mpirun", "-n", "2", "sh", "-c", expected]


def test_scripts_that_are_rewritten_mean_the_same(tmp_path):
    """A shell carries out what was made of a script."""
    write_program(tmp_path / "mpirun", '#!/bin/sh\nprintf "<%s>" "$@"\n')
    script = "A='x y'; cd / && mpirun -n $((1)) 2>/dev/null"
    with pytest.raises(CannotRewrite, match="does not understand"):
        rewrite(["sh", "-c", script], ["@"], lambda program: OPEN_MPI)
    script = """A='x y'; mpirun -n 2 ./a "$A" $A \\$A 'b  "c' d\\ e $1 2>&1 | cat"""
    made = rewrite(["sh", "-c", script, "zero", "one"], ["@"], lambda program: OPEN_MPI)
    done = run(*made, env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert done.returncode == 0 and done.stdout == '<-n><2><@><./a><x y><x><y><$A><b  "c><d e><one>'
