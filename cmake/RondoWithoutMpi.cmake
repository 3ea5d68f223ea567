# Installed files that know nothing of the MPI that they were built with. They ask for no MPI library: they take the
# one that the process has, whatever the name of its file. The MPI library that they were linked to has shown that
# nothing else is missing. Where they search libraries, only folders relative to themselves are left, because the
# compiler wrappers of some MPIs add their own.
#   PATCHELF    the program patchelf
#   FILES       the files, absolute
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
foreach(file IN LISTS FILES COMPONENTS)
  patchelf(path --print-rpath ${file})
  string(REGEX MATCHALL "\\$ORIGIN[^:\n]*" own "${path}")
  string(JOIN ":" own ${own})
  if(own STREQUAL "")
    patchelf(said --remove-rpath ${file})
  else()
    patchelf(said --set-rpath ${own} ${file})
  endif()
endforeach()
