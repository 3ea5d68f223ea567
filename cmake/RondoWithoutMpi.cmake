# Installed files that ask for no MPI library: they take the one that the process has, whatever the
# name of its file. The MPI library that they were linked to has shown that nothing else is missing.
#   PATCHELF   the program patchelf
#   FILES      the files, absolute
foreach(file IN LISTS FILES)
  execute_process(COMMAND ${PATCHELF} --print-needed ${file}
    OUTPUT_VARIABLE needed RESULT_VARIABLE status)
  string(REGEX MATCHALL "libmpi[^\n]*" libraries "${needed}")
  foreach(library IN LISTS libraries)
    if(status EQUAL 0)
      execute_process(COMMAND ${PATCHELF} --remove-needed ${library} ${file} RESULT_VARIABLE status)
    endif()
  endforeach()
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PATCHELF} fails on ${file}")
  endif()
endforeach()
