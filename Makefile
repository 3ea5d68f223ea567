# make build, make demo, make test. Nothing here needs root; see README.md.
#
#   MPI=openmpi|mpich|abi   that family, in build/FAMILY (default: the first MPI found, in build); abi is
#                           MPI-5's standard ABI
#   MPICXX=WRAPPER      this MPI's C++ compiler wrapper
#   CMAKE_ARGS=...      further arguments for cmake, as in -DCMAKE_BUILD_TYPE=Debug
#   GRAPHS=FOLDER       check-graphs: graphs with known closures, and a README.md that has them
#   CLIENTS_ARGS=...    which programs check-clients runs, as in --only=HPCC
#   AB_ARGS=...         which cells check-ab measures, and how, as in "--only=LAMMPS --pairs=11"
#   JOBS=n              how many compilers or tests at a time

MAKEFLAGS += --no-print-directory
PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
TREE ?= build
BUILD ?= $(TREE)$(if $(MPI),/$(MPI))

CONFIGURE = $(PYTHON) tools/configure.py $(BUILD) --tree $(TREE) \
            $(if $(MPI),--mpi $(MPI)) $(if $(MPICXX),--mpicxx $(MPICXX)) -- $(CMAKE_ARGS)
CTEST = cd $(BUILD) && ctest --output-on-failure -j $(JOBS) $(CTEST_ARGS)

.PHONY: build demo apps-demo test test-all check-bench calibrate check-graphs check-clients check-ab check-set-up check-instructions install tables figures screenshots format check-format clean help

build: ## the library, the benchmark and the tests: programs in build/bin, libraries in build/lib
	@$(CONFIGURE)
	@cmake --build $(BUILD) -j $(JOBS)

demo: ## all algorithms against the MPI library, on this machine; builds only what it runs
	@$(CONFIGURE)
	@cmake --build $(BUILD) -j $(JOBS) --target rondo-bench
	@$(PYTHON) bench/demo.py --build $(BUILD)

apps-demo: build ## three applications: what their exchanges cost, with MPI's calls and with Rondo
	@$(PYTHON) apps/demo.py --build $(BUILD)

test: build ## every test, of the large products of cases a sample
	@$(CTEST) -LE full

test-all: build ## every test in full; takes long
	@$(CTEST)

check-bench: build ## every algorithm, distribution and byte, by rondo-bench itself; takes long
	@$(PYTHON) tests/bench/check_all.py tools/mpirun $(BUILD)/bin/rondo-bench

check-clients: ## real programs with Rondo in place of MPI's calls; takes long, fetches into TREE/clients
	@-$(MAKE) build MPI=openmpi BUILD=$(TREE)/openmpi
	@-$(MAKE) build MPI=mpich BUILD=$(TREE)/mpich
	@$(PYTHON) tests/clients/check_clients.py --folder $(TREE)/clients $(CLIENTS_ARGS) \
	    $(TREE)/openmpi $(TREE)/mpich

check-ab: ## what --ab says of real programs, against whole runs of them; takes long
	@$(MAKE) build MPI=openmpi BUILD=$(TREE)/openmpi
	@$(PYTHON) tests/clients/check_ab.py --folder $(TREE)/clients $(AB_ARGS) $(TREE)/openmpi

check-set-up: ## what short-lived communicators cost with Rondo
	@$(MAKE) build MPI=openmpi BUILD=$(TREE)/openmpi
	@$(PYTHON) tests/clients/check_set_up.py --folder $(TREE)/clients $(TREE)/openmpi

calibrate: ## the machines of `rondo simulate` against published times; needs rondo and takes long; FIT=--fit fits them
	@$(PYTHON) tools/calibrate.py $(FIT)

check-instructions: ## how many instructions a call takes on one of two ranks; needs valgrind
	@$(MAKE) build MPI=openmpi BUILD=$(TREE)/openmpi
	@$(PYTHON) tests/clients/check_instructions.py --folder $(TREE)/clients $(TREE)/openmpi

check-graphs: build ## closures of the graphs in GRAPHS=FOLDER, with every algorithm; takes long
	@$(PYTHON) tests/apps/check_graphs.py $(GRAPHS) --closure $(BUILD)/bin/rondo-closure \
	    --bench $(BUILD)/bin/rondo-bench --mpirun tools/mpirun

install: build ## into PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX)

tables: build ## bring the generated tables in README.md up to date
	@$(PYTHON) tools/check_tables.py --update $(BUILD)/bin/rondo-tables README.md

figures: ## draw the figures of the documents anew, into docs/figures
	@$(PYTHON) tools/figures.py --tree $(TREE)

screenshots: ## take the screenshots of the documents anew, into docs/figures; measures for some minutes
	@$(PYTHON) tools/screenshots.py --tree $(TREE)

format: ## format all sources
	@$(PYTHON) tools/format.py

check-format: ## fail if `make format` would change a file
	@$(PYTHON) tools/format.py --check

clean: ## remove the build tree, and with it what was fetched
	rm -rf $(TREE)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile
