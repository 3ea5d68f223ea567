# rondo_mpi_family(OUT) sets OUT to openmpi, mpich or abi, according to the mpi.h of the MPI that
# find_package(MPI) has found. Libraries built from MPICH's sources (Intel MPI, MVAPICH) count as
# mpich, because they share its binary interface. The mpi.h of MPI-5's standard ABI names no
# library. This file is also installed, because rondo-config.cmake uses the same function.
function(rondo_mpi_family out)
  set(flags)
  foreach(folder IN LISTS MPI_C_INCLUDE_DIRS MPI_CXX_INCLUDE_DIRS)
    list(APPEND flags -I${folder})
  endforeach()
  foreach(definition IN LISTS MPI_C_COMPILE_DEFINITIONS MPI_CXX_COMPILE_DEFINITIONS)
    list(APPEND flags -D${definition})
  endforeach()
  if(CMAKE_SYSROOT)
    list(APPEND flags --sysroot=${CMAKE_SYSROOT})
  endif()
  set(compiler ${CMAKE_CXX_COMPILER})
  set(suffix cpp)
  if(CMAKE_C_COMPILER)
    set(compiler ${CMAKE_C_COMPILER})
    set(suffix c)
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/rondo_mpi_family.${suffix})
  file(WRITE ${source} "#include <mpi.h>
#if defined(OPEN_MPI)
rondo_family=openmpi;
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MVAPICH2_VERSION)
rondo_family=mpich;
#elif defined(MPI_ABI_VERSION)
rondo_family=abi;
#endif
")
  execute_process(
    COMMAND ${compiler} -E ${flags} ${source}
    OUTPUT_VARIABLE preprocessed ERROR_VARIABLE complaint RESULT_VARIABLE status)
  if(preprocessed MATCHES "rondo_family=([a-z]+)")
    set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    set(${out} "" PARENT_SCOPE)
    message(STATUS "Rondo: this mpi.h is not that of Open MPI, MPICH or the standard ABI: ${complaint}")
  endif()
endfunction()
