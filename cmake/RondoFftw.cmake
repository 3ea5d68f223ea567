# Finds FFTW 3 in both precisions, and its MPI part if that was built for the MPI library in use (FindMPI
# and RONDO_MPI_FAMILY come first). Defines the targets that could be found:
#   rondo_fftw       fftw3 and fftw3f
#   rondo_fftw_mpi   fftw3_mpi and fftw3f_mpi
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(RONDO_FFTW_HINT QUIET fftw3)
endif()
set(hints ${RONDO_FFTW_HINT_LIBRARY_DIRS} ${RONDO_FFTW_HINT_LIBDIR})
find_path(RONDO_FFTW_INCLUDE_DIR fftw3.h HINTS ${RONDO_FFTW_HINT_INCLUDE_DIRS}
  ${RONDO_FFTW_HINT_INCLUDEDIR})
foreach(name IN ITEMS fftw3 fftw3f fftw3_mpi fftw3f_mpi)
  string(TOUPPER RONDO_${name}_LIBRARY variable)
  find_library(${variable} ${name} HINTS ${hints})
endforeach()

if(RONDO_FFTW_INCLUDE_DIR AND RONDO_FFTW3_LIBRARY AND RONDO_FFTW3F_LIBRARY)
  add_library(rondo_fftw INTERFACE)
  target_include_directories(rondo_fftw SYSTEM INTERFACE ${RONDO_FFTW_INCLUDE_DIR})
  target_link_libraries(rondo_fftw INTERFACE ${RONDO_FFTW3_LIBRARY} ${RONDO_FFTW3F_LIBRARY} m)
endif()

# Whether `library` was built for the MPI in use. Linking does not show it, because the linker
# accepts any MPI that a shared library needs beside the one in use. So the library is searched for
# names that only that MPI has.
function(rondo_fftw_is_for_this_mpi library out)
  set(${out} FALSE PARENT_SCOPE)
  if(NOT library)
    return()
  endif()
  set(marks_openmpi "ompi_mpi_")
  set(marks_mpich "libmpi(ch)?\\.so\\.12")
  set(marks_abi "libmpi_abi\\.so")
  file(STRINGS ${library} marks REGEX "${marks_${RONDO_MPI_FAMILY}}" LIMIT_COUNT 1)
  if(marks)
    set(${out} TRUE PARENT_SCOPE)
  endif()
endfunction()

rondo_fftw_is_for_this_mpi("${RONDO_FFTW3_MPI_LIBRARY}" double_fits)
rondo_fftw_is_for_this_mpi("${RONDO_FFTW3F_MPI_LIBRARY}" single_fits)
if(TARGET rondo_fftw AND double_fits AND single_fits)
  include(CheckCXXSourceCompiles)
  set(mpi_libraries ${RONDO_FFTW3_MPI_LIBRARY} ${RONDO_FFTW3F_MPI_LIBRARY})
  set(CMAKE_REQUIRED_DEFINITIONS -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)  # as in MPI::MPI_CXX
  set(CMAKE_REQUIRED_INCLUDES ${RONDO_FFTW_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${mpi_libraries} ${RONDO_FFTW3_LIBRARY} ${RONDO_FFTW3F_LIBRARY}
    MPI::MPI_C m)
  check_cxx_source_compiles("
    #include <fftw3-mpi.h>
    int main() {
      fftw_mpi_init();
      fftwf_mpi_init();
      return 0;
    }" RONDO_FFTW_MPI_LINKS)
  unset(CMAKE_REQUIRED_DEFINITIONS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(RONDO_FFTW_MPI_LINKS)
    add_library(rondo_fftw_mpi INTERFACE)
    target_link_libraries(rondo_fftw_mpi INTERFACE
      ${mpi_libraries} rondo_fftw MPI::MPI_C)
  endif()
endif()
