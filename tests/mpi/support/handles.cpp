#include "support/handles.hpp"

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/runner.hpp"

namespace rondo::testing::handles {

namespace {

using intercept::Function;
using intercept::Given;

/// A handle as a number: MPI libraries have pointers or integers.
template <class Handle>
std::uintptr_t number_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<std::uintptr_t>(handle);
}

/// The handles of one argument, which is an array of them.
struct Argument {
  Given given;
  int place;
  int count;

  template <class Handle>
  Handle* array() const {
    return *static_cast<Handle* const*>(given[static_cast<std::size_t>(place)]);
  }
  template <class Handle>
  std::vector<std::uintptr_t> numbers() const {
    std::vector<std::uintptr_t> all;
    for (int i = 0; i < count; ++i) all.push_back(number_of(array<Handle>()[i]));
    return all;
  }
};

/// Kinds of handles may have one C type.
struct Kind {
  std::vector<std::uintptr_t> (*numbers)(const Argument&);
};

template <class Handle>
std::vector<std::uintptr_t> numbers_of(const Argument& argument) {
  return argument.numbers<Handle>();
}

/// Whether nobody frees this type, such as MPI_INT inside a type of the user's.
bool is_named(const Argument& argument) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  must(MPI_Type_get_envelope(*argument.array<MPI_Datatype>(), &integers, &addresses, &types,
                             &combiner));
  return combiner == MPI_COMBINER_NAMED;
}

const Kind kDatatype{numbers_of<MPI_Datatype>};
const Kind kCommunicator{numbers_of<MPI_Comm>};
const Kind kGroup{numbers_of<MPI_Group>};
const Kind kErrorHandler{numbers_of<MPI_Errhandler>};
const Kind kInfo{numbers_of<MPI_Info>};
const Kind kKey{numbers_of<int>};
const Kind kRequest{numbers_of<MPI_Request>};

enum class Does {
  make,
  get,  ///< a type that may be MPI's own
  end   ///< those that it sets to null
};
using enum Does;

/// What a function does with the handle or the array of handles that is its argument number `place`.
struct Effect {
  Function function;
  Does does;
  const Kind& kind;
  int place;
  int count_place = -1;  ///< of the argument with the length of the array
};

const Effect kEffects[] = {
    {Function::Type_contiguous, make, kDatatype, 2},
    {Function::Type_create_struct, make, kDatatype, 4},
    {Function::Type_create_hindexed, make, kDatatype, 4},
    {Function::Type_create_hindexed_block, make, kDatatype, 4},
    {Function::Type_create_resized, make, kDatatype, 3},
    {Function::Type_get_contents, get, kDatatype, 6},
    {Function::Type_free, end, kDatatype, 0},
    {Function::Comm_create_group, make, kCommunicator, 3},
    {Function::Comm_free, end, kCommunicator, 0},
    {Function::Comm_group, make, kGroup, 1},
    {Function::Group_free, end, kGroup, 0},
    {Function::Comm_get_errhandler, make, kErrorHandler, 1},
    {Function::Errhandler_free, end, kErrorHandler, 0},
    {Function::Comm_get_info, make, kInfo, 1},
    {Function::Info_free, end, kInfo, 0},
    {Function::Comm_create_keyval, make, kKey, 2},
    {Function::Comm_free_keyval, end, kKey, 0},
    {Function::Ibcast, make, kRequest, 5},
    {Function::Iallreduce, make, kRequest, 6},
    {Function::Ibarrier, make, kRequest, 1},
    {Function::Isend, make, kRequest, 6},
    {Function::Issend, make, kRequest, 6},
    {Function::Irecv, make, kRequest, 6},
    {Function::Ialltoall, make, kRequest, 7},
    {Function::Ialltoallv, make, kRequest, 9},
    {Function::Ialltoallw, make, kRequest, 9},
    {Function::Ineighbor_alltoall, make, kRequest, 7},
    {Function::Ineighbor_alltoallv, make, kRequest, 9},
    {Function::Ineighbor_alltoallw, make, kRequest, 9},
#if MPI_VERSION >= 4
    {Function::Type_get_contents_c, get, kDatatype, 8},
    {Function::Ialltoall_c, make, kRequest, 7},
    {Function::Ialltoallv_c, make, kRequest, 9},
    {Function::Ialltoallw_c, make, kRequest, 9},
    {Function::Ineighbor_alltoall_c, make, kRequest, 7},
    {Function::Ineighbor_alltoallv_c, make, kRequest, 9},
    {Function::Ineighbor_alltoallw_c, make, kRequest, 9},
#endif
    {Function::Wait, end, kRequest, 0},
    {Function::Test, end, kRequest, 0},
    {Function::Waitall, end, kRequest, 1, 0},
    {Function::Testall, end, kRequest, 1, 0},
    {Function::Waitany, end, kRequest, 1, 0},
    {Function::Waitsome, end, kRequest, 1, 0},
    {Function::Testsome, end, kRequest, 1, 0},
};

/// One handle may stand for several, such as Open MPI's request for whatever is complete at once.
using Name = std::pair<const Kind*, std::uintptr_t>;
std::mutex mutex;
std::map<Name, std::vector<Function>> makers;

void note_made(const Effect& effect, const Argument& argument) {
  if (effect.does == get && is_named(argument)) return;
  const std::lock_guard lock(mutex);
  makers[{&effect.kind, effect.kind.numbers(argument).front()}].push_back(effect.function);
}

/// The rest of the argument is as it was before the call.
void note_ended(const Effect& effect, const Argument& argument,
                const std::vector<std::uintptr_t>& before) {
  const std::vector<std::uintptr_t> after = effect.kind.numbers(argument);
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto found = makers.find({&effect.kind, before[i]});
    if (before[i] == after[i] || found == makers.end()) continue;
    found->second.pop_back();
    if (found->second.empty()) makers.erase(found);
  }
}

int carry_out(Function function, Given given, const std::function<int()>& call) {
  for (const Effect& effect : kEffects) {
    if (effect.function != function) continue;
    const auto place = static_cast<std::size_t>(effect.count_place);
    const int count = effect.count_place < 0 ? 1 : *static_cast<const int*>(given[place]);
    const Argument argument{given, effect.place, count};
    std::vector<std::uintptr_t> before;
    if (effect.does == end) before = effect.kind.numbers(argument);
    const int code = call();
    if (effect.does == end)
      note_ended(effect, argument, before);
    else if (code == MPI_SUCCESS)
      note_made(effect, argument);
    return code;
  }
  return call();
}

}  // namespace

Watched::Watched() {
  intercept::watch(carry_out);
}
Watched::~Watched() {
  intercept::watch({});
}

Alive alive() {
  const std::lock_guard lock(mutex);
  Alive counts;
  for (const auto& [name, functions] : makers)
    for (const Function function : functions) ++counts[function];
  return counts;
}

std::string difference(const Alive& before, const Alive& after) {
  Alive more = after;
  for (const auto& [function, count] : before) more[function] -= count;
  std::string text;
  for (const auto& [function, count] : more)
    if (count != 0)
      text += rondo::text(text.empty() ? "" : ", ", std::abs(count), count < 0 ? " fewer" : " more",
                          " of ", intercept::name_of(function));
  return text;
}

}  // namespace rondo::testing::handles
