# cmake -C cmake/RondoSyntaxOnly.cmake: a build that only looks for errors and warnings. The compiler reads every
# source and makes no code, and the files that a build would make are empty.
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_COMPILE_OBJECT
    "<CMAKE_${language}_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>"
    "<CMAKE_COMMAND> -E touch <OBJECT>" CACHE STRING "")
  foreach(made IN ITEMS CREATE_SHARED_LIBRARY CREATE_SHARED_MODULE ARCHIVE_CREATE LINK_EXECUTABLE)
    set(CMAKE_${language}_${made} "<CMAKE_COMMAND> -E touch <TARGET>" CACHE STRING "")
  endforeach()
  set(CMAKE_${language}_ARCHIVE_FINISH "" CACHE STRING "")
endforeach()
