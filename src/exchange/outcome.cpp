#include "exchange/outcome.hpp"

#include "exchange/mpi_error.hpp"

namespace rondo::exchange {

Status own_status(const Context& context, const Error* failure) {
  Status status;
  if (failure != nullptr) {
    status.failed_rank = context.rank;
    status.failed_class = mpi_class_of(*failure);
  }
  return status;
}

bool conclude(Call& call, const Error* failure, const Status& status) {
  if (failure != nullptr)
    call.failure = *failure;
  else if (status.has_failure())
    call.failure = failure_elsewhere(status.failed_rank, status.failed_class);
  else if (call.asks_for_longest())
    call.context.longest.record(status.largest);
  return status.has_failure();
}

}  // namespace rondo::exchange
