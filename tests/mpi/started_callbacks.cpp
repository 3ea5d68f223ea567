// What runs the program's code while exchanges are started: the operation of a reduction and the delete callback
// of a datatype's attribute. It runs on the stack of a thread, which is large enough, and may wait.
#include <pthread.h>
#include <rondo/rondo.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "support/added_test.hpp"
#include "support/environment.hpp"
#include "support/started.hpp"

namespace started_callbacks_test {

using namespace rondo::testing;

constexpr const char* kAlgorithms[] = {"node_aware", "fused_bruck", "spread_out", "auto"};

/// Whether that many bytes below the caller's frame are in the stack of its thread, as the thread library has it.
bool has_own_stack(std::size_t bytes) {
  struct Stack {
    Stack() {
      pthread_attr_t attributes;
      void* lowest = nullptr;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
      if (pthread_attr_getstack(&attributes, &lowest, &size) == 0)
        low = reinterpret_cast<std::uintptr_t>(lowest);
      pthread_attr_destroy(&attributes);
    }
    std::uintptr_t low = 0;
    std::size_t size = 0;
  };
  static thread_local const Stack stack;
  const char here = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(&here);
  return at >= stack.low + bytes && at < stack.low + stack.size;
}

constexpr std::size_t kFrameBytes = 300 * 1024;  // more than the stack of a fiber
int g_calls = 0;
int g_calls_elsewhere = 0;

/// As Fortran's automatic arrays do it.
[[gnu::noinline]] void use_large_frame() {
  [[maybe_unused]] volatile char frame[kFrameBytes];
  for (std::size_t i = 0; i < kFrameBytes; i += 512) frame[i] = 1;
}

void add(void* in, void* sums, int* count, MPI_Datatype*) {
  ++g_calls;
  if (has_own_stack(kFrameBytes + 4096))
    use_large_frame();
  else
    ++g_calls_elsewhere;
  for (int i = 0; i < *count; ++i) static_cast<int*>(sums)[i] += static_cast<const int*>(in)[i];
}

/// A reduction is pending while exchanges go on. One rank after the other is late, so that the others wait.
void run_operation(const std::string& algorithm, Row& row) {
  const Prepared comm(algorithm, row);
  const int rank = rank_of(comm);
  const int ranks = ranks_of(comm);
  if (ranks == 1) return row.skip("a rank alone adds nothing");
  MPI_Op sum = MPI_OP_NULL;
  must(MPI_Op_create(add, 1, &sum));
  g_calls = g_calls_elsewhere = 0;
  for (int round = 0; round < 100; ++round) {
    const std::vector<int> addends(8, rank + round);
    std::vector<int> sums(addends.size());
    MPI_Request request = MPI_REQUEST_NULL;
    must(MPI_Iallreduce(addends.data(), sums.data(), static_cast<int>(sums.size()), MPI_INT, sum,
                        MPI_COMM_WORLD, &request));
    if (rank == round % ranks) std::this_thread::sleep_for(std::chrono::microseconds(200));
    { const SmallStarted started(Collective::alltoallv, comm, 40, row); }
    must(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (const int one : sums)
      row.expect(one == ranks * (ranks - 1) / 2 + ranks * round, "the sum is ", one);
  }
  must(MPI_Op_free(&sum));
  int calls = 0;  // which ranks add is the library's own matter
  must(MPI_Allreduce(&g_calls, &calls, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  row.expect(calls > 0, "the operation did not run");
  row.expect(g_calls_elsewhere == 0, "the operation ran ", g_calls_elsewhere, " of ", g_calls,
             " times outside its thread's stack");
}

/// Another exchange, which a callback may start or complete.
class Other : NonCopyable {
 public:
  Other(MPI_Comm comm, Row& row) : row_(row), comm_(comm), small_(comm, 20) {}

  void start() {
    small_.fill(++salt_);
    row_.expect_success(rondo::testing::start(kVariable, small_.send(kVariable),
                                              small_.receive(kVariable), comm_, &request_),
                        "another start");
  }
  void test() {
    int is_over = 0;
    row_.expect_success(Rondo_Test(&request_, &is_over), "Rondo_Test");
  }
  /// Does nothing before the start.
  void wait() { row_.expect_success(Rondo_Wait(&request_), "Rondo_Wait"); }
  void call() { SmallExchange(comm_, 3).run(kVariable, comm_, row_); }
  bool is_right() const { return small_.is_right(); }

 private:
  static constexpr auto kVariable = Collective::alltoallv;

  Row& row_;
  MPI_Comm comm_;
  SmallExchange small_;
  int salt_ = 0;
  Rondo_Request request_ = RONDO_REQUEST_NULL;
};

/// When the other exchange is started: before the one whose datatype has the callback, after it, or in the callback,
/// when that one has ended.
enum class When { before, after, in_callback };

/// In the same channel, an exchange begins when the one before has ended.
enum class Where { another_communicator, same_channel };

/// What a callback does.
struct Deed {
  const char* name;
  When when;
  void (*run)(Other& other);
  Where where = Where::another_communicator;
};

constexpr Deed kDeeds[] = {
    {"does nothing", When::before, [](Other&) {}},
    {"tests an earlier exchange", When::before, [](Other& other) { other.test(); }},
    {"waits for an earlier exchange", When::before, [](Other& other) { other.wait(); }},
    {"waits for a later exchange", When::after, [](Other& other) { other.wait(); }},
    {"waits for a queued exchange", When::after, [](Other& other) { other.wait(); },
     Where::same_channel},
    {"starts an exchange", When::in_callback, [](Other& other) { other.start(); }},
    {"starts an exchange in its channel", When::in_callback, [](Other& other) { other.start(); },
     Where::same_channel},
    {"calls", When::before, [](Other& other) { other.call(); }},
};

/// The value of an attribute.
struct Deletion {
  const Deed& deed;
  Other& other;
  int calls = 0;
  int calls_elsewhere = 0;
};

int on_deletion(MPI_Datatype, int, void* value, void*) {
  Deletion& deletion = *static_cast<Deletion*>(value);
  ++deletion.calls;
  if (has_own_stack(kFrameBytes))
    deletion.deed.run(deletion.other);
  else
    ++deletion.calls_elsewhere;
  return MPI_SUCCESS;
}

/// The program frees the datatype of an exchange that it has started. Where the exchange still needs the
/// datatype, the attribute is deleted later.
void run_deletion(const Deed& deed, const std::string& algorithm, Row& row) {
  const bool is_same = deed.where == Where::same_channel;
  const Environment channels("RONDO_REQUESTS", is_same ? "1" : nullptr);
  const Prepared comm(algorithm, row);
  const Prepared other_comm(algorithm, row);
  Other other(is_same ? comm : other_comm, row);
  int key = MPI_KEYVAL_INVALID;
  must(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_deletion, &key, nullptr));
  for (int round = 0; round < 5; ++round) {
    Deletion deletion{deed, other};
    SmallExchange small(comm, 4);
    Rondo_Request request = RONDO_REQUEST_NULL;
    if (deed.when == When::before) other.start();
    {
      const Type type(Type::packed_ints());
      must(MPI_Type_set_attr(type, key, &deletion));
      row.expect_success(Rondo_Ialltoall(small.sent.data(), 2, MPI_INT, small.received.data(), 1,
                                         type, comm, &request),
                         "a start");
    }
    if (deed.when == When::after) other.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // then all can end at once
    row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
    other.wait();
    row.expect(deletion.calls == 1, "the attribute was deleted ", deletion.calls, " times");
    row.expect(deletion.calls_elsewhere == 0, "the callback ran outside its thread's stack");
    row.expect(other.is_right(), "the other exchange moved wrong data");
  }
  must(MPI_Type_free_keyval(&key));
}

void run_test(Runner& runner) {
  for (const std::string algorithm : kAlgorithms) {
    runner.run("an operation with a large frame, " + algorithm, run_operation, algorithm);
    for (const Deed& deed : kDeeds)
      runner.run(rondo::text("a delete callback that ", deed.name, ", ", algorithm), run_deletion,
                 deed, algorithm);
  }
}

const AddedTest added({.name = "started_callbacks", .run = run_test});

}  // namespace started_callbacks_test
