# Which tests run when. `make test` is what a newcomer waits for: it builds the library, the drop-in, the Python package
# and the benchmark, and tests them on 1, 2, 3 and 5 ranks, with a sample of all cases. It leaves out two labels:
#   more   what takes longer than it tells a newcomer, or only a change of Rondo can break; continuous integration has it
#   full   all cases; takes long
# RONDO_TEST_LABELS are labels of all tests of a folder.

# rondo_note_programs(LABELS WORD...): `make test` builds the targets whose files its tests name.
function(rondo_note_programs labels)
  if(labels MATCHES "(^|;)(more|full)($|;)")
    return()
  endif()
  string(REGEX MATCHALL "<TARGET_FILE(_DIR)?:[^>]+" programs "${ARGN}")
  list(TRANSFORM programs REPLACE "^.*:" "")
  set_property(GLOBAL APPEND PROPERTY RONDO_QUICK_PROGRAMS ${programs})
endfunction()
