# RONDO_VERSION, as include/rondo/rondo.h has it.
set(rondo_header ${CMAKE_CURRENT_LIST_DIR}/../include/rondo/rondo.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rondo_header})
file(STRINGS ${rondo_header} RONDO_VERSION REGEX "^#define RONDO_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
list(TRANSFORM RONDO_VERSION REPLACE "^.* " "")
list(JOIN RONDO_VERSION . RONDO_VERSION)
