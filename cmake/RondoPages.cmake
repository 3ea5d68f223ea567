# The manual pages and shell completions of the programs on PATH, made by tools/pages/ from what their
# --help prints. `cmake --install` puts them below share/, where man and the shells look.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(CMAKE_CROSSCOMPILING OR NOT Python3_Interpreter_FOUND)
  message(STATUS "Rondo: no manual pages and shell completions: making them takes Python, and running the programs")
  return()
endif()
set(RONDO_PAGES ${CMAKE_BINARY_DIR}/pages)

file(GLOB page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/pages/*.py)
set(all_pages)
# rondo_add_pages(NAME FILE DEPENDENCY)
macro(rondo_add_pages program file dependency)
  set(pages
    ${RONDO_PAGES}/share/man/man1/${program}.1
    ${RONDO_PAGES}/share/bash-completion/completions/${program}
    ${RONDO_PAGES}/share/zsh/site-functions/_${program}
    ${RONDO_PAGES}/share/fish/vendor_completions.d/${program}.fish)
  add_custom_command(OUTPUT ${pages}
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tools/pages/build.py
      ${file} --output ${RONDO_PAGES}
    DEPENDS ${dependency} ${page_sources} VERBATIM)
  list(APPEND all_pages ${pages})
endmacro()

foreach(program IN ITEMS rondo-exec rondo-bench rondo-bench-gpu rondo-tune rondo-fft rondo-closure rondo-kcfa
    rondo-spmv)
  if(TARGET ${program})
    rondo_add_pages(${program} $<TARGET_FILE:${program}> ${program})
  endif()
endforeach()
rondo_add_pages(rondo-config ${PROJECT_SOURCE_DIR}/tools/rondo-config ${PROJECT_SOURCE_DIR}/tools/rondo-config)
rondo_add_pages(rondo-mpirun ${PROJECT_SOURCE_DIR}/tools/mpirun ${PROJECT_SOURCE_DIR}/tools/mpirun)
if(RONDO_PYTHON AND TARGET rondo-limit)  # which has it on PATH too
  rondo_add_pages(rondo-limit $<TARGET_FILE:rondo-limit> rondo-limit)
endif()
add_custom_target(rondo_pages ALL DEPENDS ${all_pages})
add_dependencies(installed rondo_pages)
install(DIRECTORY ${RONDO_PAGES}/share/ DESTINATION share)
