#include "exchange/library_requests.hpp"

#include "exchange/guard.hpp"

namespace rondo::exchange {

int code_of(const std::exception_ptr& error, MPI_Comm comm) {
  const LibraryRaisesErrors left;
  return guarded_on([&] { return is_fatal(comm) ? comm : MPI_COMM_NULL; },
                    [&] {
                      if (error) std::rethrow_exception(error);
                    });
}

}  // namespace rondo::exchange
