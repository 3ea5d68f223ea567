# Where `cmake --install` puts what. The libraries of several MPI families can be installed side by side:
#   lib/rondo/FAMILY/   librondo.so.1, librondo_fortran.so.1, rondo.mod, bin/rondo-bench, bin/rondo-tune,
#                       bin/rondo-bench-gpu,
#                       bin/rondo-fft, bin/rondo-closure, bin/rondo-kcfa, bin/rondo-spmv, librondo_dropin.so
#   lib/rondo/openmpi/VERSION/  mca_coll_rondo.so, for one series of Open MPI, see src/dropin/component
#   lib/                librondo_nccl.so.1, which needs no MPI; include/rondo/rondo_nccl.h, rondo_nccl_mpi.h
#   lib/rondo/          librondo_core.so.1, which needs no MPI, librondo_preload.so, rondo-judge: the same for all families
#   include/rondo/      rondo.h; rondo.hpp and its parts in cpp/; mailbox.hpp; transport.h: the same for all families
#   lib/cmake/rondo/    find_package(rondo), see rondo-config.cmake.in
#   lib/pkgconfig/      rondo-FAMILY.pc, rondo-fortran-FAMILY.pc; rondo-core.pc, rondo-preload.pc: the same for all families
#   bin/rondo-bench, ...  links to the programs of the family that was installed first
#   bin/rondo-exec, bin/rondo-config, bin/rondo-mpirun  the same for all families
#   share/              manual pages and shell completions, see RondoPages.cmake
# The layout is the same on every system, so that tools find librondo.so.1 by the family's name.
include(CMakePackageConfigHelpers)

set(library_dir lib/rondo/${RONDO_MPI_FAMILY})
set(config_dir lib/cmake/rondo)

set_target_properties(rondo PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE)
install(TARGETS rondo EXPORT rondo-${RONDO_MPI_FAMILY}-targets
  LIBRARY DESTINATION ${library_dir})
install(EXPORT rondo-${RONDO_MPI_FAMILY}-targets NAMESPACE rondo:: DESTINATION ${config_dir})
install(FILES include/rondo/rondo.h include/rondo/rondo.hpp include/rondo/mailbox.hpp DESTINATION include/rondo)
install(DIRECTORY include/rondo/cpp DESTINATION include/rondo)

install(TARGETS rondo_group LIBRARY DESTINATION lib/rondo)
install(FILES include/rondo/transport.h DESTINATION include/rondo)

if(TARGET rondo_nccl)
  set_target_properties(rondo_nccl PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE)
  install(TARGETS rondo_nccl LIBRARY DESTINATION lib)
  install(FILES include/rondo/rondo_nccl.h include/rondo/rondo_nccl_mpi.h DESTINATION include/rondo)
  configure_file(cmake/rondo-nccl.pc.in ${CMAKE_CURRENT_BINARY_DIR}/rondo-nccl.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rondo-nccl.pc DESTINATION lib/pkgconfig)
endif()

if(TARGET rondo_fortran)
  set_target_properties(rondo_fortran PROPERTIES
    INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH TRUE)
  install(TARGETS rondo_fortran EXPORT rondo-${RONDO_MPI_FAMILY}-fortran-targets
    LIBRARY DESTINATION ${library_dir})
  install(EXPORT rondo-${RONDO_MPI_FAMILY}-fortran-targets NAMESPACE rondo::
    DESTINATION ${config_dir})
  install(FILES $<TARGET_PROPERTY:rondo_fortran,Fortran_MODULE_DIRECTORY>/rondo.mod
    DESTINATION ${library_dir})
  configure_file(cmake/rondo-fortran.pc.in
    ${CMAKE_CURRENT_BINARY_DIR}/rondo-fortran-${RONDO_MPI_FAMILY}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rondo-fortran-${RONDO_MPI_FAMILY}.pc
    DESTINATION lib/pkgconfig)
endif()

foreach(program IN ITEMS rondo-bench rondo-bench-gpu rondo-tune rondo-fft rondo-closure rondo-kcfa
    rondo-spmv)
  if(NOT TARGET ${program})
    continue()
  endif()
  set_target_properties(${program} PROPERTIES
    INSTALL_RPATH "$ORIGIN/..;$ORIGIN/../../.." INSTALL_RPATH_USE_LINK_PATH TRUE)
  install(TARGETS ${program} RUNTIME DESTINATION ${library_dir}/bin)
  install(CODE "
    set(link \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/${program}\")
    if(NOT EXISTS \"\${link}\")
      file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
      file(CREATE_LINK ../${library_dir}/bin/${program} \"\${link}\" SYMBOLIC)
    endif()")
endforeach()

install(TARGETS rondo_dropin LIBRARY DESTINATION ${library_dir})
install(TARGETS rondo_preload rondo-judge LIBRARY DESTINATION lib/rondo RUNTIME DESTINATION lib/rondo)
install(TARGETS rondo-exec RUNTIME DESTINATION bin)
install(PROGRAMS tools/rondo-config DESTINATION bin)
install(PROGRAMS tools/mpirun DESTINATION bin RENAME rondo-mpirun)

# Everything that is installed, and no tests and examples: what `make install` builds.
add_custom_target(installed DEPENDS rondo rondo_group rondo_dropin rondo_preload rondo-judge rondo-exec)
foreach(target IN ITEMS rondo_nccl rondo_fortran mca_coll_rondo rondo-bench rondo-bench-gpu rondo-tune
    rondo-fft rondo-closure rondo-kcfa rondo-spmv)
  if(TARGET ${target})
    add_dependencies(installed ${target})
  endif()
endforeach()

configure_package_config_file(cmake/rondo-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/rondo-config.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/rondo-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/rondo-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/rondo-config-version.cmake
  cmake/RondoMpiFamily.cmake
  DESTINATION ${config_dir})

# The prefix is relative to this file, so that an installed tree can be moved.
configure_file(cmake/rondo.pc.in ${CMAKE_CURRENT_BINARY_DIR}/rondo-${RONDO_MPI_FAMILY}.pc @ONLY)
configure_file(cmake/rondo-core.pc.in ${CMAKE_CURRENT_BINARY_DIR}/rondo-core.pc @ONLY)
configure_file(cmake/rondo-preload.pc.in ${CMAKE_CURRENT_BINARY_DIR}/rondo-preload.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rondo-${RONDO_MPI_FAMILY}.pc ${CMAKE_CURRENT_BINARY_DIR}/rondo-core.pc
  ${CMAKE_CURRENT_BINARY_DIR}/rondo-preload.pc DESTINATION lib/pkgconfig)

# What the Python package has of this tree, for RONDO_BUILT.
set(packaged rondo_json rondo_fmt rondo_core rondo_group rondo rondo_dropin rondo_preload rondo-judge rondo-exec)
if(TARGET mca_coll_rondo)
  list(APPEND packaged mca_coll_rondo)
endif()
set_property(GLOBAL PROPERTY RONDO_PACKAGED ${packaged})
export(TARGETS ${packaged} FILE ${CMAKE_BINARY_DIR}/rondo-built-targets.cmake)
get_property(component_dir GLOBAL PROPERTY RONDO_COMPONENT_DIR)
file(WRITE ${CMAKE_BINARY_DIR}/rondo-built.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/rondo-built-targets.cmake)\n"
  "set_property(GLOBAL PROPERTY RONDO_COMPONENT_DIR ${component_dir})\n")
