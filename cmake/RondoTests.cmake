# Functions that add tests. Without GoogleTest or Python the tests that need it are skipped, with
# one message.
find_package(GTest)
find_package(Python3 COMPONENTS Interpreter)
if(GTest_FOUND)
  include(GoogleTest)
else()
  message(STATUS "GoogleTest not found: skipping the unit tests in C++")
endif()
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "Python 3 not found: skipping the tests in Python")
endif()

# rondo_add_unit_test(TARGET PREFIX SOURCE... LIBRARIES library... [TIMEOUT seconds]) adds a
# GoogleTest program. CTest calls its tests PREFIX.SUITE.TEST.
function(rondo_add_unit_test target prefix)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "TIMEOUT" "LIBRARIES")
  if(NOT GTest_FOUND)
    return()
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  add_executable(${target} ${test_UNPARSED_ARGUMENTS})
  # The libraries that are tested do the work, so optimizing the tests gains nothing.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Quick>:-O0>)
  target_link_libraries(${target} PRIVATE ${test_LIBRARIES} GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  gtest_discover_tests(${target}
    TEST_PREFIX ${prefix}. DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${RONDO_TEST_LABELS}")
  # Until the program is built, CTest has a test in its place that fails. It has the same labels.
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake)
  file(WRITE ${labels} "set_tests_properties(${target}_NOT_BUILT PROPERTIES LABELS \"${RONDO_TEST_LABELS}\")\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
endfunction()

# rondo_add_python_test(NAME SCRIPT [MPIRUN] [ALONE] [ARGUMENTS ...] [LABELS ...] [ENVIRONMENT ...] [TIMEOUT
# seconds] [COST number]) adds a test that is skipped if it exits with 77. With MPIRUN its last
# arguments are the command that starts ranks. With ALONE, since it compares times, or where ranks spin
# (RONDO_RANKS_SPIN), it runs while no other test does. COST is about how many seconds it takes on two cores;
# ctest starts what takes longest first.
function(rondo_add_python_test name script)
  cmake_parse_arguments(PARSE_ARGV 2 test "MPIRUN;ALONE" "TIMEOUT;COST" "ARGUMENTS;LABELS;ENVIRONMENT")
  if(NOT Python3_Interpreter_FOUND)
    return()
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  if(test_MPIRUN)
    list(APPEND test_ARGUMENTS --mpirun ${RONDO_MPIRUN})
  endif()
  get_filename_component(script ${script} ABSOLUTE)
  set(labels ${test_LABELS} ${RONDO_TEST_LABELS})
  rondo_note_programs("${labels}" ${test_ARGUMENTS} ${test_ENVIRONMENT})
  add_test(NAME ${name} COMMAND Python3::Interpreter -B ${script} ${test_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${test_TIMEOUT} SKIP_RETURN_CODE 77 LABELS "${labels}"
    ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support;${test_ENVIRONMENT}")
  set(starts_ranks OFF)
  if(test_MPIRUN OR "mpi" IN_LIST test_LABELS)
    set(starts_ranks ON)
  endif()
  if(test_ALONE OR (starts_ranks AND RONDO_RANKS_SPIN))
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
  if(test_COST)
    set_tests_properties(${name} PROPERTIES COST ${test_COST})
  elseif(starts_ranks)
    set_tests_properties(${name} PROPERTIES COST 10)
  endif()
endfunction()
