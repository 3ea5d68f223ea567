"""Launch commands: where the programs are."""

import pytest

from rondo.launchers import UnknownLauncher, rewrite

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
]

UNKNOWN = [
    (OPEN_MPI, "jsrun -n 4 ./a", "'jsrun' is not a launcher"),
    ("some script", "mpirun -n 4 ./a", "'mpirun' is not a launcher"),
    (OPEN_MPI, "./program", "is not a launcher"),
    (OPEN_MPI, "mpirun --pigeon 4 ./a", "option '--pigeon'"),
    (OPEN_MPI, "mpirun -n4 ./a", "option '-n4'"),
    (MPICH, "mpiexec -tune ./a", "option '-tune'"),
    (SLURM, "srun --multi-prog file", "option '--multi-prog'"),
    (OPEN_MPI, "mpirun -n 4", "no program"),
    (OPEN_MPI, "mpirun -n 1 a : -n 2", "no program in '-n 2'"),
    (OPEN_MPI, "mpirun -n 1 a :", "no program"),
    (OPEN_MPI, "mpirun -n 4 --", "no program"),
    (OPEN_MPI, "", "no command"),
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
    with pytest.raises(UnknownLauncher, match=sentence) as caught:
        rewrite(command.split(), ["rondo-exec"], lambda program: said)
    if command:
        assert "put `rondo-exec` before your program" in str(caught.value)
