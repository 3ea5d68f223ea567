# make build, make demo, make test. Nothing here needs root. See README.md.
#
#   MPI=openmpi|mpich|abi   build for that family in build/FAMILY (default: the first MPI found, in build); abi is
#                           MPI-5's standard ABI
#   MPICXX=WRAPPER      the C++ compiler wrapper of the MPI to use
#   CMAKE_ARGS=...      further arguments for cmake, as in -DCMAKE_BUILD_TYPE=Debug
#   GRAPHS=FOLDER       check-graphs: graphs, and a README.md with their known closures
#   CLIENTS_ARGS=...    which programs check-clients runs, as in --only=HPCC
#   PROCESSOR=aarch64   wheel: for another processor, into dist/aarch64
#   URL=ADDRESS         dist: the folder from which the archive will be fetched
#   WHEEL=FILE          docs: the Python package of this tree, which is compiled otherwise
#   GPU_PYTHON=PYTHON   check-gpu: a Python that has PyTorch for CUDA, nanobind and Python.h
#   GPU_NCCL=FOLDER     check-gpu: another NCCL than PyTorch's, as in .../site-packages/nvidia/nccl
#   ARM_ARGS=...        which rows check-arm runs, as in "--only='unit tests'"
#   AB_ARGS=...         which cells check-ab measures and how, as in "--only=LAMMPS --pairs=11"
#   JOBS=n              how many compilers or tests run at a time
#   WATCH_ARGS=...      check-watch: how many runs, as in --runs=20
#   TARGETS=...         build: what to build; everything without it
#   CTEST_ARGS=...      test, test-all: which tests, as in "-R 'mpi_sparse.*'"; RESULTS=FILE.xml writes their results

MAKEFLAGS += --no-print-directory
PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
TREE ?= build
BUILD ?= $(TREE)$(if $(MPI),/$(MPI))
# The compiler sees several files of a target at once, which takes about half the time.
UNITY = -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16
DEB_MPI = $(or $(MPI),openmpi)

CONFIGURE = $(PYTHON) tools/configure.py $(BUILD) --tree $(TREE) \
            $(if $(MPI),--mpi $(MPI)) $(if $(MPICXX),--mpicxx $(MPICXX)) -- $(UNITY) $(CMAKE_ARGS)
RUN_TESTS = $(PYTHON) tools/run_tests.py $(BUILD) --jobs $(JOBS) $(if $(RESULTS),--results $(RESULTS))

.PHONY: wheel measure-archive sdist deb dist check-packages build demo apps-demo test test-all check-bench calibrate check-graphs check-clients check-ab check-set-up check-instructions check-kills check-watch check-gpu check-arm install tables manual figures screenshots docs format check-format clean help

build: ## build the library, the benchmark and the tests: programs in build/bin, libraries in build/lib
	@$(CONFIGURE)
	@cmake --build $(BUILD) -j $(JOBS) $(if $(TARGETS),--target $(TARGETS))

demo: ## measure all algorithms against the MPI library; builds only what it runs
	@$(CONFIGURE)
	@cmake --build $(BUILD) -j $(JOBS) --target rondo-bench
	@$(PYTHON) bench/demo.py --build $(BUILD)

apps-demo: build ## measure the exchanges of four applications, with MPI's calls and with Rondo
	@$(PYTHON) apps/demo.py --build $(BUILD)

test: ## build and test what a program needs of Rondo, with a sample of all cases; says first how long it takes
	@$(CONFIGURE)
	@$(RUN_TESTS) --build quick_tests -- -LE 'full|more' $(CTEST_ARGS)

test-all: ## build everything, and run every test in full; takes long
	@$(CONFIGURE)
	@$(RUN_TESTS) --build all -- $(CTEST_ARGS)

check-bench: build ## let rondo-bench check every byte for all algorithms and distributions; takes long
	@$(PYTHON) tests/bench/check_all.py tools/mpirun $(BUILD)/bin/rondo-bench

check-clients: ## run real programs with Rondo instead of MPI's calls; takes long, fetches into TREE/clients
	@-$(MAKE) build MPI=openmpi BUILD=$(TREE)/openmpi TARGETS=installed
	@-$(MAKE) build MPI=mpich BUILD=$(TREE)/mpich TARGETS=installed
	@$(PYTHON) tests/clients/check_clients.py --folder $(TREE)/clients $(CLIENTS_ARGS) \
	    $(TREE)/openmpi $(TREE)/mpich

check-ab: ## compare --ab's estimates for real programs with whole runs; takes long
	@$(MAKE) build MPI=openmpi BUILD=$(TREE)/openmpi
	@$(PYTHON) tests/clients/check_ab.py --folder $(TREE)/clients $(AB_ARGS) $(TREE)/openmpi

check-set-up: ## measure what short-lived communicators cost with Rondo
	@$(MAKE) build MPI=openmpi BUILD=$(TREE)/openmpi
	@$(PYTHON) tests/clients/check_set_up.py --folder $(TREE)/clients $(TREE)/openmpi

calibrate: ## compare the machines of `rondo simulate` with published times; needs rondo, takes long; FIT=--fit fits them
	@$(PYTHON) tools/calibrate.py $(FIT)

check-instructions: ## count the instructions of a call on one of two ranks; needs valgrind
	@$(MAKE) build MPI=openmpi BUILD=$(TREE)/openmpi
	@$(PYTHON) tests/clients/check_instructions.py --folder $(TREE)/clients $(TREE)/openmpi

check-kills: build ## kill one rank in the middle of long exchanges, 200 times; nothing may stay
	@PYTHONPATH=tests/support $(PYTHON) tests/mpi/kill.py --long --all tools/mpirun -n 4 $(BUILD)/bin/test_kill

check-gpu: ## build and run everything that must be seen on a GPU, within ten minutes, without MPI and without a network
	@$(PYTHON) tests/gpu/check_gpu.py $(TREE)/gpu --build $(if $(GPU_PYTHON),--python $(GPU_PYTHON)) \
	    $(if $(GPU_NCCL),--nccl $(GPU_NCCL))

check-watch: build ## let ranks wait for one that is missing, 1,000 times for each reason; takes long; WATCH_ARGS=--runs=N
	@PYTHONPATH=tests/support $(PYTHON) tests/dropin/check_watch.py $(WATCH_ARGS) \
	    --family $(DEB_MPI) --linked $(BUILD)/bin/watched_linked --plain $(BUILD)/bin/watched_c \
	    --exec $(BUILD)/bin/rondo-exec --mpirun tools/mpirun

check-arm: ## build for other processors, and run the MPI tests of aarch64 under qemu; takes long, fetches into TREE/cross
	@nice $(PYTHON) tests/cross/check_cross.py --folder $(TREE)/cross --jobs $(JOBS) $(ARM_ARGS)

check-graphs: build ## check the closures of the graphs in GRAPHS=FOLDER with every algorithm; takes long
	@$(PYTHON) tests/apps/check_graphs.py $(GRAPHS) --closure $(BUILD)/bin/rondo-closure \
	    --bench $(BUILD)/bin/rondo-bench --mpirun tools/mpirun

install: ## build what is installed, and install it into PREFIX (default /usr/local)
	@$(CONFIGURE)
	@cmake --build $(BUILD) -j $(JOBS) --target installed
	@cmake --install $(BUILD) --prefix $(PREFIX)

wheel: ## dist/*.whl: Python, the drop-in and the benchmark, for all MPI families, with no MPI inside
	@$(PYTHON) tools/wheel.py wheel --folder $(TREE)/wheel \
	    $(if $(PROCESSOR),--processor $(PROCESSOR) --into dist/$(PROCESSOR))

sdist: ## dist/*.tar.gz, from which pip builds the same for one MPI
	@$(PYTHON) tools/wheel.py sdist --folder $(TREE)/wheel

measure-archive: wheel ## dist/rondo-measure-*.tar.gz: tools/measure with a wheel, an MPI and Python's packages
	@$(PYTHON) tools/measure_archive.py --folder $(TREE)/measure-archive

deb: ## dist/*.deb, with Debian's Open MPI (or MPI=mpich)
	@$(PYTHON) tools/configure.py $(TREE)/deb-$(DEB_MPI) --tree $(TREE) --mpicxx mpicxx.$(DEB_MPI) -- \
	    $(UNITY) -DCMAKE_BUILD_TYPE=Release -DRONDO_TESTS=OFF -DRONDO_CUDA=OFF $(CMAKE_ARGS)
	@cmake --build $(TREE)/deb-$(DEB_MPI) -j $(JOBS)
	@cpack --config $(TREE)/deb-$(DEB_MPI)/CPackConfig.cmake -B $(TREE)/deb-$(DEB_MPI)/packed
	@mkdir -p dist && cp $(TREE)/deb-$(DEB_MPI)/packed/rondo-$(DEB_MPI)_*.deb dist/

dist: ## dist/rondo-source-*.tar.gz of the last commit, its checksum, and recipes that have both; URL=where the archive will be
	@$(PYTHON) tools/dist.py $(if $(URL),--url $(URL))

check-packages: wheel sdist deb measure-archive dist ## install, use and remove all that is released; takes long
	@$(MAKE) deb MPI=mpich
	@$(PYTHON) tests/install/check_packages.py --folder $(TREE)/packages

tables: build ## update the generated tables of the documents
	@$(PYTHON) tools/check_tables.py --update $(BUILD)/bin/rondo-tables docs/algorithms.md docs/gpu.md docs/tuning.md
	@$(PYTHON) tools/check_tables.py --update tools/slower.py docs/comparison.md

manual: ## update the manual page of rondo and the help of the other programs, packaging/help; all must be on PATH
	@$(PYTHON) tools/pages/command.py packaging/rondo.1
	@for file in packaging/help/*.txt; do $$(basename $$file .txt) --help > $$file || exit; done

figures: ## redraw the documents' figures in docs/figures; takes some minutes
	@$(PYTHON) tools/figures.py --tree $(TREE)
	@$(TREE)/figures/bin/python -m pip install -q matplotlib
	@$(TREE)/figures/bin/python tools/speedups.py

docs: ## the documents as a site in TREE/site, with a page for every algorithm; fails on a broken link
	@$(PYTHON) tools/website/build.py --tree $(TREE) $(if $(WHEEL),--wheel $(WHEEL))

screenshots: ## take the screenshots of the documents again, into docs/figures; measures for some minutes
	@$(PYTHON) tools/screenshots.py --tree $(TREE)

format: ## format all sources
	@$(PYTHON) tools/format.py

check-format: ## fail if `make format` would change a file
	@$(PYTHON) tools/format.py --check

clean: ## remove the build tree and everything that was fetched
	rm -rf $(TREE) dist

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile
