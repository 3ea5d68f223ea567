# rondo_add_tsan_test(NAME SOURCE...) adds a GoogleTest program that runs under the thread
# sanitizer. The test is skipped, with a reason, if the sanitizer does not work here.
include(CheckCXXSourceRuns)
find_package(Threads REQUIRED)

function(rondo_add_tsan_test name)
  if(NOT GTest_FOUND)
    return()
  endif()
  # A program cannot contain two sanitizers.
  if(RONDO_SANITIZE)
    message(STATUS "RONDO_SANITIZE=${RONDO_SANITIZE}: skipping the test ${name}")
    return()
  endif()
  set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
  set(CMAKE_REQUIRED_LIBRARIES Threads::Threads)
  check_cxx_source_runs("
    #include <thread>
    int main() {
      int seen = 1;
      std::thread([&] { seen = 0; }).join();
      return seen;
    }" RONDO_THREAD_SANITIZER_RUNS)
  if(NOT RONDO_THREAD_SANITIZER_RUNS)
    message(STATUS "Programs with -fsanitize=thread do not build or run here: skipping the test ${name}")
    return()
  endif()
  add_executable(rondo_${name} ${ARGN})
  target_compile_options(rondo_${name} PRIVATE -fsanitize=thread)
  target_link_options(rondo_${name} PRIVATE -fsanitize=thread)
  target_include_directories(rondo_${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(rondo_${name} PRIVATE rondo_fmt GTest::gtest_main Threads::Threads)
  add_test(NAME ${name} COMMAND rondo_${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 LABELS "${RONDO_TEST_LABELS}")
endfunction()
