# Installed files that know nothing of the MPI that they were built with. They ask for no MPI library: they take the
# one that the process has, whatever the name of its file. The MPI library that they were linked to has shown that
# nothing else is missing. They search libraries in folders relative to themselves only: those of the build tree are not
# there later, and the compiler wrappers of some MPIs add their own.
#   PATCHELF    the program patchelf
#   FILES       the files, absolute: librondo and what is beside it, and programs in the folder bin there
#   COMPONENTS  those that an MPI library loads: they keep its name, by which they find it in the process
function(patchelf result)
  execute_process(COMMAND ${PATCHELF} ${ARGN} OUTPUT_VARIABLE said RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PATCHELF} fails: ${ARGN}")
  endif()
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

foreach(file IN LISTS FILES)
  patchelf(needed --print-needed ${file})
  string(REGEX MATCHALL "libmpi[^\n]*" libraries "${needed}")
  foreach(library IN LISTS libraries)
    patchelf(said --remove-needed ${library} ${file})
  endforeach()
endforeach()
foreach(file IN LISTS FILES)
  set(path "$ORIGIN")
  if(file MATCHES "/bin/[^/]+$")
    set(path "$ORIGIN/..")
  endif()
  patchelf(said --set-rpath ${path} ${file})
endforeach()
foreach(file IN LISTS COMPONENTS)
  patchelf(said --remove-rpath ${file})
endforeach()
