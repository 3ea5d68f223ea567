# Finds the MPI library, its launcher and its Fortran module. RONDO_MPI=AUTO becomes FALSE without an MPI.
# Defines:
#   MPI::MPI_C                 MPI's C interface, for C and C++ alike (MPI::MPI_CXX may bring
#                              libmpi_cxx, the long removed C++ bindings)
#   RONDO_MPI_FAMILY           openmpi, mpich or abi
#   RONDO_FORTRAN              TRUE if this MPI has the module mpi_f08 (then MPI::MPI_Fortran)
#   RONDO_MPIRUN               the command that starts ranks: tools/mpirun with this MPI's launcher
#   RONDO_RANKS_SPIN           whether a waiting rank keeps its core
#   rondo_add_mpi_test(...)    one CTest entry per number of ranks
# Which MPI: the one of -DMPI_CXX_COMPILER=/path/to/mpicxx, or else the first that FindMPI sees. Its launcher
# and its C and Fortran wrappers are those beside it with the same suffix (mpicxx.mpich, mpiexec.mpich). Beside
# mpicxx_abi is the launcher of the library that implements the ABI.
include(${CMAKE_CURRENT_LIST_DIR}/RondoMpiFamily.cmake)

# Sets variable OUT to the C++ wrapper's sibling with one of the given stems, if there is one.
function(rondo_mpi_sibling out)
  if(${out} OR NOT MPI_CXX_COMPILER)
    return()
  endif()
  get_filename_component(folder ${MPI_CXX_COMPILER} DIRECTORY)
  get_filename_component(name ${MPI_CXX_COMPILER} NAME)
  string(REGEX REPLACE "^mpi[a-zA-Z+]*" "" suffix ${name})
  foreach(stem IN LISTS ARGN)
    if(EXISTS ${folder}/${stem}${suffix})
      set(${out} ${folder}/${stem}${suffix} CACHE FILEPATH "Belongs to MPI_CXX_COMPILER" FORCE)
      return()
    endif()
  endforeach()
endfunction()

if(NOT MPI_CXX_COMPILER)
  find_program(MPI_CXX_COMPILER NAMES mpicxx mpic++)
endif()
rondo_mpi_sibling(MPI_C_COMPILER mpicc)
rondo_mpi_sibling(MPIEXEC_EXECUTABLE mpiexec mpirun)
if(MPI_CXX_COMPILER MATCHES "_abi$")
  get_filename_component(mpi_folder ${MPI_CXX_COMPILER} DIRECTORY)
  find_program(MPIEXEC_EXECUTABLE NAMES mpiexec mpirun HINTS ${mpi_folder})
endif()
set(MPI_CXX_SKIP_MPICXX ON)
if(RONDO_MPI STREQUAL "AUTO")
  find_package(MPI COMPONENTS C CXX)
  if(NOT MPI_FOUND)
    set(RONDO_MPI FALSE)
    message(STATUS "Rondo: no MPI found: building without it")
    return()
  endif()
endif()
find_package(MPI REQUIRED COMPONENTS C CXX)
rondo_mpi_family(RONDO_MPI_FAMILY)
if(NOT RONDO_MPI_FAMILY)
  message(FATAL_ERROR "Rondo supports Open MPI, MPICH and its derivatives, and MPI-5's standard ABI; "
                      "choose another compiler wrapper with -DMPI_CXX_COMPILER=...")
endif()

# Fortran is optional. It needs a compiler, this MPI's own wrapper and its mpi_f08 module, and Python, which writes
# most of Rondo's module.
option(RONDO_WITH_FORTRAN "Build the Fortran module if possible" ON)
set(RONDO_FORTRAN FALSE)
find_package(Python3 3.8 COMPONENTS Interpreter QUIET)
rondo_mpi_sibling(MPI_Fortran_COMPILER mpifort mpif90)
if(NOT RONDO_WITH_FORTRAN)
  set(fortran_status "off")
elseif(NOT MPI_Fortran_COMPILER)
  set(fortran_status "skipped: this MPI has no mpifort")
elseif(NOT Python3_Interpreter_FOUND)
  set(fortran_status "skipped: making it takes Python")
else()
  include(CheckLanguage)
  check_language(Fortran)
  if(NOT CMAKE_Fortran_COMPILER)
    set(fortran_status "skipped: no Fortran compiler")
  else()
    enable_language(Fortran)
    find_package(MPI COMPONENTS Fortran)
    if(MPI_Fortran_HAVE_F08_MODULE)
      set(RONDO_FORTRAN TRUE)
      set(fortran_status "${CMAKE_Fortran_COMPILER}")
    else()
      set(fortran_status "skipped: ${MPI_Fortran_COMPILER} has no usable module mpi_f08")
    endif()
  endif()
endif()

message(STATUS "Rondo: MPI family ${RONDO_MPI_FAMILY}, launcher ${MPIEXEC_EXECUTABLE}")
message(STATUS "Rondo: Fortran module ${fortran_status}")

# Open MPI's waiting ranks yield their core where they are asked to, MPICH's do not.
set(RONDO_RANKS_SPIN ON)
if(RONDO_MPI_FAMILY STREQUAL "openmpi")
  set(RONDO_RANKS_SPIN OFF)
endif()
set(RONDO_MPIRUN ${PROJECT_SOURCE_DIR}/tools/mpirun --launcher ${MPIEXEC_EXECUTABLE})

# rondo_add_mpi_test(NAME name RANKS 1 3 4 [LABELS label...] [TIMEOUT seconds]
#                    [ENVIRONMENT A=b...] COMMAND target-or-program [argument...])
# adds the tests name_n1, name_n3, name_n4. A test that exits with 77 counts as skipped. Where ranks spin,
# several run while nothing else does: a rank that waits behind another test makes all others wait. Those with
# unusual numbers of ranks have the label `more`, see cmake/RondoTestTiers.cmake.
function(rondo_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;TIMEOUT" "RANKS;LABELS;ENVIRONMENT;COMMAND")
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  list(POP_FRONT test_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  foreach(ranks IN LISTS test_RANKS)
    set(name ${test_NAME}_n${ranks})
    add_test(NAME ${name} COMMAND ${RONDO_MPIRUN} -n ${ranks}
      ${CMAKE_CROSSCOMPILING_EMULATOR} ${program} ${test_COMMAND})
    set(is_serial OFF)
    if(ranks GREATER 1 AND RONDO_RANKS_SPIN)
      set(is_serial ON)
    endif()
    set(labels ${test_LABELS} ${RONDO_TEST_LABELS})
    if(NOT ranks MATCHES "^[1235]$")
      list(APPEND labels more)
    endif()
    rondo_note_programs("${labels}" ${program} ${test_COMMAND} ${test_ENVIRONMENT})
    set_tests_properties(${name} PROPERTIES
      RUN_SERIAL ${is_serial} TIMEOUT ${test_TIMEOUT} SKIP_RETURN_CODE 77
      LABELS "${labels}" ENVIRONMENT "${test_ENVIRONMENT}")
  endforeach()
endfunction()
