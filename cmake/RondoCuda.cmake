# Finds CUDA and NCCL. RONDO_GPU becomes TRUE if both are found and RONDO_CUDA is not OFF. Then the
# language CUDA is enabled, and there are
#   CUDA::cudart, CUDA::toolkit   CMake's own
#   rondo_nccl_headers            nccl.h
#   RONDO_NCCL_LIBRARY            libnccl.so
# For installations in unusual places: -DCUDAToolkit_ROOT=..., -DNCCL_ROOT=...
set(RONDO_GPU FALSE)
if(NOT RONDO_CUDA)
  return()
endif()

# rondo_without_gpu(REASON): an error if RONDO_CUDA=ON; otherwise Rondo is built without GPU
# support.
macro(rondo_without_gpu reason)
  if(NOT RONDO_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "RONDO_CUDA is ${RONDO_CUDA}, but ${reason}")
  endif()
  message(STATUS "Rondo: building without exchanges of GPU memory: ${reason}")
  return()
endmacro()

find_package(CUDAToolkit 12.0 QUIET)
if(NOT CUDAToolkit_FOUND)
  rondo_without_gpu("CUDA toolkit 12.0 or newer was not found")
endif()
find_path(RONDO_NCCL_INCLUDE nccl.h HINTS ${NCCL_ROOT} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
# Per folder, so that a libnccl.so of CUDA's is not taken with the header of NCCL_ROOT, which may have libnccl.so.2 alone.
find_library(RONDO_NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR
  HINTS ${NCCL_ROOT} ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib)
if(NOT RONDO_NCCL_INCLUDE OR NOT RONDO_NCCL_LIBRARY)
  rondo_without_gpu("NCCL was not found (nccl.h and libnccl.so)")
endif()
file(STRINGS ${RONDO_NCCL_INCLUDE}/nccl.h nccl_version REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) ")
string(REGEX MATCHALL "[0-9]+" nccl_version "${nccl_version}")
list(JOIN nccl_version "." nccl_version)
if(nccl_version VERSION_LESS 2.18)
  rondo_without_gpu("NCCL ${nccl_version} is older than 2.18")
endif()

if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
endif()
# One binary for these GPUs. That of the newest also has PTX, which newer GPUs compile for themselves.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} --list-gpu-arch
    OUTPUT_VARIABLE known_architectures)
  foreach(architecture IN ITEMS 80 90 100)
    if(known_architectures MATCHES "compute_${architecture}[\r\n]")
      list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "^([0-9]+)$" "\\1-real")
      list(APPEND CMAKE_CUDA_ARCHITECTURES ${architecture})
    endif()
  endforeach()
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
# CMake 3.25 does not know that nvcc supports C++20.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)

add_library(rondo_nccl_headers INTERFACE)
target_include_directories(rondo_nccl_headers SYSTEM INTERFACE
  ${RONDO_NCCL_INCLUDE} ${CUDAToolkit_INCLUDE_DIRS})

set(RONDO_GPU TRUE)
message(STATUS "Rondo: CUDA ${CUDAToolkit_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}, NCCL ${nccl_version}, ${RONDO_NCCL_LIBRARY}")
