#include "exchange/tell.hpp"

#include "exchange/mpi_error.hpp"

namespace rondo::exchange {

News first_news(const Context& context, const Error* failure) {
  News news;
  if (failure != nullptr) {
    news.failed_rank = context.rank;
    news.failed_class = mpi_class_of(*failure);
  }
  return news;
}

bool tell(Call& call, const Error* failure, const News& news) {
  if (failure != nullptr)
    call.told = *failure;
  else if (news.has_failure())
    call.told = failure_elsewhere(news.failed_rank, news.failed_class);
  else if (call.asks_for_longest())
    call.context.longest.hear(news.largest);
  return news.has_failure();
}

}  // namespace rondo::exchange
