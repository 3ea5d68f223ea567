"""NEURON of PyPI: nerve cells that gap junctions join.

Every step brings each cell the voltages of three others: an MPI_Alltoallv in which most ranks have
a few numbers for each other.
"""

import re

NEURON = "neuron==9.0.2"
CELLS = 64
MILLISECONDS = {2: 1500, 8: 500, 16: 200, 32: 20}
PROGRAM = """\
from neuron import h

h.nrnmpi_init()
h.load_file("stdrun.hoc")
context = h.ParallelContext()
rank, ranks = int(context.id()), int(context.nhost())
cells, joins = {{}}, []
for number in range(rank, {cells}, ranks):
    cell = cells[number] = h.Section(name=f"cell{{number}}")
    cell.L = cell.diam = 20
    cell.insert("hh")
    context.source_var(cell(0.5)._ref_v, number, sec=cell)
    if number % 7 == 0:
        pulse = h.IClamp(cell(0.5))
        pulse.delay, pulse.dur, pulse.amp = 1 + number % 5, 2, 0.5
        joins.append(pulse)
for number, cell in cells.items():
    for other in (number + 1, number - 1, number + 17):
        join = h.SEClamp(cell(0.5))
        join.rs, join.dur1 = 1e3, 1e9
        context.target_var(join, join._ref_amp1, other % {cells})
        joins.append(join)
context.setup_transfer()
context.set_maxstep(10)
h.dt = 0.025
h.finitialize(-65)
context.psolve({milliseconds})
total = context.allreduce(sum(abs(cell(0.5).v) for cell in cells.values()), 1)
if rank == 0:
    print(f"voltage {{total:.9f}}", flush=True)
context.barrier()
h.quit()
"""
VOLTAGE = re.compile(r"^voltage (\S+)$", re.MULTILINE)


def command(workspace, folder, ranks):
    python = workspace.environment("neuron", NEURON) / "bin/python"
    (folder / "ring.py").write_text(PROGRAM.format(cells=CELLS, milliseconds=MILLISECONDS[ranks]))
    return [python, "ring.py"]


def results(done, _):
    """The sum of all voltages at the end."""
    return [float(number) for number in VOLTAGE.findall(done.stdout)]
