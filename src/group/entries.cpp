// The entries of the C interface in include/rondo/transport.h. No MPI.
#include <rondo/transport.h>

#include <string>

#include "group/group.hpp"

struct Rondo_Group_s {
  rondo::group::Group group;
};

namespace rondo::group {

namespace {

thread_local std::string t_last_error;

int code_of(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::argument:
    case ErrorClass::buffer:
    case ErrorClass::count:
    case ErrorClass::type:
      return RONDO_WRONG_ARGUMENT;
    case ErrorClass::truncate:
      return RONDO_TRUNCATED;
    case ErrorClass::no_memory:
      return RONDO_NO_MEMORY;
    case ErrorClass::communicator:
      return RONDO_TRANSPORT_FAILED;
    case ErrorClass::other:
      break;
  }
  return RONDO_FAILED;
}

int remember(int code, const char* what) noexcept {
  try {
    t_last_error = what;
  } catch (const std::bad_alloc&) {
    t_last_error.clear();
  }
  return code;
}

/// Runs `body` and returns the code of what it throws.
template <class Body>
int guarded(Body&& body) noexcept {
  try {
    body();
    return RONDO_SUCCESS;
  } catch (const Error& error) {
    return remember(code_of(error.error_class()), error.what());
  } catch (const std::bad_alloc&) {
    return remember(RONDO_NO_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return remember(RONDO_FAILED, error.what());
  }
}

template <class T>
T& given(const char* name, T* pointer) {
  if (pointer == nullptr) throw Error(ErrorClass::argument, text(name, " is a null pointer"));
  return *pointer;
}

Group& of(Rondo_Group group) {
  return given("group", group).group;
}

}  // namespace

}  // namespace rondo::group

using rondo::group::given;
using rondo::group::guarded;
using rondo::group::of;
using rondo::group::Side;

int Rondo_Group_create(const Rondo_Transport* transport, Rondo_Group* group) {
  return guarded([&] {
    given("group", group) = nullptr;
    *group = new Rondo_Group_s{rondo::group::Group(given("transport", transport))};
  });
}

int Rondo_Group_free(Rondo_Group* group) {
  return guarded([&] {
    delete given("group", group);
    *group = nullptr;
  });
}

int Rondo_Group_rank(Rondo_Group group, int* rank) {
  return guarded([&] { given("rank", rank) = of(group).rank(); });
}

int Rondo_Group_size(Rondo_Group group, int* size) {
  return guarded([&] { given("size", size) = of(group).ranks(); });
}

int Rondo_Group_alltoall(const void* sendbuf, void* recvbuf, size_t bytes, Rondo_Group group) {
  return guarded([&] { of(group).alltoall(sendbuf, recvbuf, bytes); });
}

int Rondo_Group_alltoallv(const void* sendbuf, const size_t sendbytes[], const size_t sdispls[],
                          void* recvbuf, const size_t recvbytes[], const size_t rdispls[],
                          Rondo_Group group) {
  return guarded([&] {
    of(group).alltoallv(sendbuf, Side{.lengths = sendbytes, .displacements = sdispls}, recvbuf,
                        Side{.lengths = recvbytes, .displacements = rdispls});
  });
}

int Rondo_Group_alltoallv_dynamic(const void* sendbuf, const size_t sendbytes[],
                                  const size_t sdispls[], Rondo_Group_allocate_function* allocate,
                                  void* extra, void** recvbuf, size_t recvbytes[], size_t rdispls[],
                                  Rondo_Group group) {
  return guarded([&] {
    of(group).alltoallv_dynamic(sendbuf, Side{.lengths = sendbytes, .displacements = sdispls},
                                {.allocate = allocate,
                                 .extra = extra,
                                 .buffer = recvbuf,
                                 .lengths = recvbytes,
                                 .displacements = rdispls});
  });
}

const char* Rondo_Group_get_last_error(void) {
  return rondo::group::t_last_error.c_str();
}
