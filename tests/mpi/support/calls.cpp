#include "support/calls.hpp"

#include <cstdlib>

namespace rondo::testing {

namespace {

/// By one of three functions, which take the sides as MPI spells them, and then all of `more`. Of a
/// side that is null, as in place, nothing is looked at.
template <class Side, class Uniform, class Variable, class Mixed, class... More>
int call(Collective collective, const Side& from, const Side& to, Uniform uniform,
         Variable variable, Mixed mixed, More... more) {
  const auto count = [](const Side& side) { return side.counts == nullptr ? 0 : side.counts[0]; };
  const auto type = [](const Side& side) {
    return side.types == nullptr ? MPI_DATATYPE_NULL : side.types[0];
  };
  switch (collective) {
    case Collective::alltoall:
      return uniform(from.buffer, count(from), type(from), to.buffer, count(to), type(to), more...);
    case Collective::alltoallv:
      return variable(from.buffer, from.counts, from.displacements, type(from), to.buffer,
                      to.counts, to.displacements, type(to), more...);
    case Collective::alltoallw:
      break;
  }
  return mixed(from.buffer, from.counts, from.displacements, from.types, to.buffer, to.counts,
               to.displacements, to.types, more...);
}

#if MPI_VERSION >= 4
/// The same side with the arrays of the _c functions; null stays null.
struct Large : NonCopyable {
  Large(const Arguments& side, MPI_Comm comm) : buffer(side.buffer), types(side.types) {
    const int ranks = ranks_of(comm);
    if (side.counts != nullptr) all_counts.assign(side.counts, side.counts + ranks);
    if (side.displacements != nullptr)
      all_displacements.assign(side.displacements, side.displacements + ranks);
    if (!all_counts.empty()) counts = all_counts.data();
    if (!all_displacements.empty()) displacements = all_displacements.data();
  }

  void* buffer;
  const MPI_Count* counts = nullptr;
  const MPI_Aint* displacements = nullptr;
  const MPI_Datatype* types;
  std::vector<MPI_Count> all_counts;
  std::vector<MPI_Aint> all_displacements;
};
#endif

}  // namespace

const char* name_of(Form form) {
  constexpr const char* kNames[] = {"direct", "plan", "large"};
  return kNames[static_cast<int>(form)];
}

std::vector<Form> forms() {
#if MPI_VERSION >= 4
  return {Form::direct, Form::plan, Form::large};
#else
  return {Form::direct, Form::plan};
#endif
}

Arguments in_place() {
  return {.buffer = MPI_IN_PLACE};
}

bool are_started() {
  const char* const started = std::getenv("RONDO_TEST_STARTED");
  return started != nullptr && *started == '1';
}

namespace {

/// A key by which communicators are known whose channels are prepared.
int prepared_key() {
  static int key = MPI_KEYVAL_INVALID;
  if (key == MPI_KEYVAL_INVALID)
    must(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr));
  return key;
}

int prepare_starts_once(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return MPI_SUCCESS;
  int is_prepared = 0;
  void* unused = nullptr;
  must(MPI_Comm_get_attr(comm, prepared_key(), &unused, &is_prepared));
  if (is_prepared != 0) return MPI_SUCCESS;
  must(MPI_Comm_set_attr(comm, prepared_key(), nullptr));
  return prepare_starts(comm);
}

}  // namespace

int start(Collective collective, const Arguments& send, const Arguments& receive, MPI_Comm comm,
          Rondo_Request* request) {
  return call(collective, send, receive, Rondo_Ialltoall, Rondo_Ialltoallv, Rondo_Ialltoallw, comm,
              request);
}

int prepare_starts(MPI_Comm comm) {
  int code = Rondo_Comm_prepare(comm, MPI_INFO_NULL);
  const char* const channels = std::getenv("RONDO_REQUESTS");
  for (int left = channels != nullptr ? std::atoi(channels) : 4; left > 0; --left) {
    Rondo_Request request = RONDO_REQUEST_NULL;
    if (code == MPI_SUCCESS)
      code = Rondo_Ialltoall(nullptr, 0, MPI_INT, &request, 0, MPI_INT, comm, &request);
    if (code == MPI_SUCCESS) code = Rondo_Wait(&request);
  }
  return code;
}

int complete(Rondo_Request* request) {
  int code = MPI_SUCCESS;
  for (int left = 3, is_over = 0; left > 0 && is_over == 0; --left) {
    code = Rondo_Test(request, &is_over);
    if (code != MPI_SUCCESS) return code;
  }
  return Rondo_Wait(request);
}

int test_until_over(Rondo_Request* request) {
  int code = MPI_SUCCESS;
  for (int is_over = 0; is_over == 0 && code == MPI_SUCCESS;) code = Rondo_Test(request, &is_over);
  return code;
}

int execute(Rondo_Plan plan, const void* send_buffer, void* receive_buffer) {
  if (!are_started()) return Rondo_Execute(plan, send_buffer, receive_buffer);
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int code = Rondo_Start(plan, send_buffer, receive_buffer, &request);
  return code != MPI_SUCCESS ? code : complete(&request);
}

int exchange(Collective collective, const Arguments& send, const Arguments& receive,
             MPI_Comm comm) {
  if (are_started()) {
    int code = prepare_starts_once(comm);
    Rondo_Request request = RONDO_REQUEST_NULL;
    if (code == MPI_SUCCESS) code = start(collective, send, receive, comm, &request);
    return code != MPI_SUCCESS ? code : complete(&request);
  }
  return call(collective, send, receive, Rondo_Alltoall, Rondo_Alltoallv, Rondo_Alltoallw, comm);
}

#if MPI_VERSION >= 4
int exchange_large(Collective collective, const Arguments& send, const Arguments& receive,
                   MPI_Comm comm) {
  return call(collective, Large(send, comm), Large(receive, comm), Rondo_Alltoall_c,
              Rondo_Alltoallv_c, Rondo_Alltoallw_c, comm);
}
#else
int exchange_large(Collective, const Arguments&, const Arguments&, MPI_Comm) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
#endif

int make_plan(Collective collective, const Arguments& send, const Arguments& receive, MPI_Comm comm,
              MPI_Info info, Rondo_Plan* plan) {
  if (are_started()) prepare_starts_once(comm);
  return call(collective, send, receive, Rondo_Alltoall_plan, Rondo_Alltoallv_plan,
              Rondo_Alltoallw_plan, comm, info, plan);
}

void set_algorithm(MPI_Comm comm, const char* collective, const char* algorithm, Row& row) {
  row.expect_success(Rondo_Comm_set_algorithm(comm, collective, algorithm),
                     "Rondo_Comm_set_algorithm");
}
void set_algorithm(MPI_Comm comm, Collective collective, const std::string& algorithm, Row& row) {
  set_algorithm(comm, name_of(collective), algorithm.c_str(), row);
}
void set_algorithms(MPI_Comm comm, const std::string& algorithm, Row& row) {
  for (const Collective collective : kCollectives) set_algorithm(comm, collective, algorithm, row);
}

std::string algorithm_of(const char* collective, MPI_Comm comm, Row& row) {
  char text[256] = "";
  row.expect_success(Rondo_Comm_get_algorithm(comm, collective, text, sizeof text),
                     "Rondo_Comm_get_algorithm");
  return text;
}
std::string algorithm_of(Rondo_Plan plan, Row& row) {
  char text[1024] = "";
  row.expect_success(Rondo_Plan_get_algorithm(plan, text, sizeof text), "Rondo_Plan_get_algorithm");
  return text;
}
std::string last_algorithm(MPI_Comm comm, Row& row) {
  char text[256] = "";
  row.expect_success(Rondo_Comm_get_last_algorithm(comm, text, sizeof text),
                     "Rondo_Comm_get_last_algorithm");
  return text;
}

int exchange_mpi(Collective collective, const Arguments& send, const Arguments& receive,
                 MPI_Comm comm) {
  return call(collective, send, receive, MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw, comm);
}

}  // namespace rondo::testing
