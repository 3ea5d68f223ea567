#include "support/intercept.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <tuple>
#include <utility>

namespace rondo::testing::intercept {

namespace {

constexpr auto kFunctions = static_cast<std::size_t>(Function::count);
enum class When { before, after, never };

std::array<std::atomic<int>, kFunctions> made{};
std::atomic<long long> elements = 0;
std::atomic<Function> failing = Function::count;
int calls_until_failure = 0;
int failed = 0;
Watch watcher;
std::function<int(int)> placement;

bool must_fail(Function function) {
  ++made[static_cast<std::size_t>(function)];
  if (function != failing || calls_until_failure-- > 0) return false;
  calls_until_failure = 0;
  ++failed;
  return true;
}

template <class Pointer>
Pointer next(const char* name) {
  return reinterpret_cast<Pointer>(dlsym(RTLD_NEXT, name));
}

int name_by_placement(char* name, int* length) {
  int world_rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "node %d", placement(world_rank));
  return MPI_SUCCESS;
}

template <class Pointer, class... Arguments>
int call(Pointer real, Arguments... arguments) {
  return real(arguments...);
}

/// MPI_Get_processor_name, the only one with these parameters.
int call(decltype(&PMPI_Get_processor_name) real, char* name, int* length) {
  return placement ? name_by_placement(name, length) : real(name, length);
}

/// MPI_Isend and MPI_Issend, the only ones with these parameters.
int call(decltype(&PMPI_Isend) real, const void* data, int count, MPI_Datatype type, int rank,
         int tag, MPI_Comm comm, MPI_Request* request) {
  elements += count;
  return real(data, count, type, rank, tag, comm, request);
}

/// Every call of an intercepted function comes here.
template <class Pointer, class... Arguments>
int forward(Function function, When when, Pointer real, Arguments... arguments) {
  const auto call_or_fail = [&] {
    const bool fails = must_fail(function);
    if (fails && when == When::before) return MPI_ERR_OTHER;
    const int code = call(real, arguments...);
    return fails ? MPI_ERR_OTHER : code;
  };
  if (!watcher) return call_or_fail();
  const void* const given[] = {&arguments...};
  return watcher(function, given, call_or_fail);
}

}  // namespace

const char* name_of(Function function) {
  constexpr const char* kNames[] = {
#define RONDO_INTERCEPT(name, when, parameters) "MPI_" #name,
#include "support/intercepted.def"
  };
  return kNames[static_cast<std::size_t>(function)];
}

std::vector<Function> all_functions() {
  constexpr When kWhen[] = {
#define RONDO_INTERCEPT(name, when, parameters) When::when,
#include "support/intercepted.def"
  };
  std::vector<Function> functions;
  for (std::size_t i = 0; i < kFunctions; ++i)
    if (kWhen[i] != When::never) functions.push_back(static_cast<Function>(i));
  return functions;
}

int calls(Function function) {
  return made[static_cast<std::size_t>(function)];
}
void reset_calls() {
  for (auto& calls : made) calls = 0;
  elements = 0;
}
long long sent_elements() {
  return elements;
}

void fail_from(Function function, int call) {
  failing = function;
  calls_until_failure = call;
  failed = 0;
}
void fail_nothing() {
  failing = Function::count;
}
void watch(Watch around) {
  watcher = std::move(around);
}
int failures() {
  return failed;
}

void place_ranks(std::function<int(int)> node_of_rank) {
  placement = std::move(node_of_rank);
}

}  // namespace rondo::testing::intercept

namespace {
using namespace rondo::testing::intercept;

template <class Function>
struct Parameters;
template <class... All>
struct Parameters<int (*)(All...)> {
  template <std::size_t i>
  using Type = std::tuple_element_t<i, std::tuple<All...>>;
};
}  // namespace

// Parameters and arguments of a function with so many.
#define RONDO_PARAMETER(name, i) Parameters<decltype(&PMPI_##name)>::Type<i> a##i
#define RONDO_PARAMETERS_1(name) RONDO_PARAMETER(name, 0)
#define RONDO_PARAMETERS_2(name) RONDO_PARAMETERS_1(name), RONDO_PARAMETER(name, 1)
#define RONDO_PARAMETERS_3(name) RONDO_PARAMETERS_2(name), RONDO_PARAMETER(name, 2)
#define RONDO_PARAMETERS_4(name) RONDO_PARAMETERS_3(name), RONDO_PARAMETER(name, 3)
#define RONDO_PARAMETERS_5(name) RONDO_PARAMETERS_4(name), RONDO_PARAMETER(name, 4)
#define RONDO_PARAMETERS_6(name) RONDO_PARAMETERS_5(name), RONDO_PARAMETER(name, 5)
#define RONDO_PARAMETERS_7(name) RONDO_PARAMETERS_6(name), RONDO_PARAMETER(name, 6)
#define RONDO_PARAMETERS_8(name) RONDO_PARAMETERS_7(name), RONDO_PARAMETER(name, 7)
#define RONDO_PARAMETERS_9(name) RONDO_PARAMETERS_8(name), RONDO_PARAMETER(name, 8)
#define RONDO_PARAMETERS_10(name) RONDO_PARAMETERS_9(name), RONDO_PARAMETER(name, 9)
#define RONDO_PARAMETERS_11(name) RONDO_PARAMETERS_10(name), RONDO_PARAMETER(name, 10)
#define RONDO_PARAMETERS_12(name) RONDO_PARAMETERS_11(name), RONDO_PARAMETER(name, 11)
#define RONDO_ARGUMENTS_1 a0
#define RONDO_ARGUMENTS_2 RONDO_ARGUMENTS_1, a1
#define RONDO_ARGUMENTS_3 RONDO_ARGUMENTS_2, a2
#define RONDO_ARGUMENTS_4 RONDO_ARGUMENTS_3, a3
#define RONDO_ARGUMENTS_5 RONDO_ARGUMENTS_4, a4
#define RONDO_ARGUMENTS_6 RONDO_ARGUMENTS_5, a5
#define RONDO_ARGUMENTS_7 RONDO_ARGUMENTS_6, a6
#define RONDO_ARGUMENTS_8 RONDO_ARGUMENTS_7, a7
#define RONDO_ARGUMENTS_9 RONDO_ARGUMENTS_8, a8
#define RONDO_ARGUMENTS_10 RONDO_ARGUMENTS_9, a9
#define RONDO_ARGUMENTS_11 RONDO_ARGUMENTS_10, a10
#define RONDO_ARGUMENTS_12 RONDO_ARGUMENTS_11, a11

extern "C" {
#define RONDO_INTERCEPT(name, when, parameters)                                     \
  int PMPI_##name(RONDO_PARAMETERS_##parameters(name)) {                            \
    static const auto real = next<decltype(&PMPI_##name)>("PMPI_" #name);           \
    return forward(Function::name, When::when, real, RONDO_ARGUMENTS_##parameters); \
  }
#include "support/intercepted.def"
}
