// The functions behind the registry's rows, declared from the table itself.
#pragma once

#include "exchange/context.hpp"

namespace rondo::exchange {

namespace detail {
template <registry::Collective>
struct BlocksOf {
  using Type = Uniform;
};
template <>
struct BlocksOf<registry::Collective::alltoallv> {
  using Type = Variable;
};
}  // namespace detail

#define RONDO_ALGORITHM(collective, name, ...)                                            \
  namespace collective {                                                                  \
  void name(Call& call, const detail::BlocksOf<registry::Collective::collective>::Type&); \
  }
#define RONDO_FORWARDED(...)
#include "registry/algorithms.def"
#undef RONDO_FORWARDED
#undef RONDO_ALGORITHM

/// Run the algorithm of `call.choice`, which must not be a forwarded one.
void run(Call& call, const Uniform& blocks);
void run(Call& call, const Variable& blocks);

}  // namespace rondo::exchange
