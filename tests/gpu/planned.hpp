// Plans of librondo_nccl over the stand-ins, for tests.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "gpu/resources.hpp"
#include "host_exchange.hpp"
#include "refusal.hpp"
#include "rondo/rondo_nccl.h"
#include "stand_in.hpp"

namespace rondo::testing {

inline void expect_success(ncclResult_t result) {
  EXPECT_EQ(result, ncclSuccess) << Rondo_nccl_error();
}

/// Expects that result, with these words in the text of the error.
inline void expect_error(ncclResult_t result, ncclResult_t expected, const std::string& words) {
  EXPECT_EQ(result, expected) << words;
  EXPECT_TRUE(test::says(Rondo_nccl_error(), words));
}

/// A plan that is freed. Errors are reported.
class Plan {
 public:
  Plan(ncclComm_t comm, const std::string& algorithm, std::size_t block_bytes,
       const Rondo_nccl_host* host = nullptr)
      : comm_(comm) {
    expect_success(Rondo_nccl_plan_create(comm, algorithm.c_str(), block_bytes, host, &plan_));
  }
  ~Plan() { expect_success(Rondo_nccl_plan_destroy(&plan_)); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  Rondo_nccl_plan get() const { return plan_; }
  ncclComm_t comm() const { return comm_; }

 private:
  ncclComm_t comm_;
  Rondo_nccl_plan plan_ = nullptr;
};

/// Runs `body(plan, rank)` on every rank, with a plan for blocks of that length.
template <class Body>
void with_plan(const std::string& algorithm, int ranks, std::size_t longest, Body&& body) {
  SCOPED_TRACE(::testing::Message() << ranks << " ranks");
  HostExchange hosts(ranks);
  on_ranks(ranks, [&](ncclComm_t comm, int rank) {
    const Rondo_nccl_host host = hosts.of(rank);
    const Plan plan(comm, algorithm, longest, &host);
    body(plan, rank);
  });
}

/// An array on the device.
inline gpu::DeviceMemory on_device(const std::vector<std::size_t>& values) {
  return gpu::on_device(std::span<const std::size_t>(values));
}

inline const std::size_t* sizes(const gpu::DeviceMemory& memory) {
  return reinterpret_cast<const std::size_t*>(memory.get());
}

}  // namespace rondo::testing
