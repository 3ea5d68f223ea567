// The C interface: checks arguments, and turns exceptions into NCCL's codes.

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/exchange.hpp"
#include "gpu/failure.hpp"
#include "rondo/rondo_nccl.h"

struct Rondo_nccl_plan_of {
  ncclComm_t comm;
  int ranks;
  std::size_t block_bytes;
  std::string algorithm;
  std::unique_ptr<rondo::gpu::Exchange> exchange;
};

namespace rondo::gpu {

namespace {

thread_local std::string g_error = "no error";

ncclResult_t store_error(ncclResult_t result, const char* call, const char* words) noexcept {
  try {
    g_error = text(call, ": ", words);
  } catch (const std::bad_alloc&) {
    g_error.clear();
  }
  return result;
}

ncclResult_t code_of(const Error& error) {
  switch (error.error_class()) {
    case ErrorClass::argument:
    case ErrorClass::count:
      return ncclInvalidArgument;
    case ErrorClass::no_memory:
      return ncclSystemError;
    default:
      return ncclInternalError;
  }
}

template <class Body>
ncclResult_t guarded(const char* call, Body&& body) noexcept {
  try {
    body();
    return ncclSuccess;
  } catch (const Failure& failure) {
    return store_error(failure.result(), call, failure.what());
  } catch (const Error& error) {
    return store_error(code_of(error), call, error.what());
  } catch (const std::bad_alloc&) {
    return store_error(ncclSystemError, call, "out of memory");
  } catch (const std::exception& error) {
    return store_error(ncclInternalError, call, error.what());
  }
}

template <class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) throw Failure(ncclInvalidArgument, text(parts...));
}

std::size_t size_of(ncclDataType_t datatype) {
  switch (datatype) {
    case ncclInt8:
    case ncclUint8:
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 24, 0)
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
#endif
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      throw Failure(ncclInvalidArgument,
                    text("datatype is ", static_cast<int>(datatype), ", which is not a data type"));
  }
}

constexpr std::string_view kGraph = "graph:";

/// The function of every row of the registry, in its order.
constexpr std::unique_ptr<Exchange> (*kMake[])(const Setup& setup) = {
#define RONDO_GPU_ALGORITHM(name, shape, engine, ...) make_##engine,
#include "registry/gpu_algorithms.def"
};

std::unique_ptr<Exchange> make(std::string_view name, Setup setup) {
  const bool is_replayed = name.starts_with(kGraph);
  if (is_replayed) name.remove_prefix(kGraph.size());
  setup.choice =
      choice::resolve(choice::parse(registry::Collective::gpu, name), {.ranks = setup.ranks});
  auto exchange = kMake[setup.choice.algorithm - registry::gpu_algorithms().data()](setup);
  return is_replayed ? make_replayed(std::move(exchange), setup.ranks) : std::move(exchange);
}

/// Whether an array lies in memory that only the device reads.
bool is_on_device(const void* array) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, array), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeDevice;
}

void check_plan(Rondo_nccl_plan plan) {
  require(plan != nullptr, "the plan is NULL; make one with Rondo_nccl_plan_create");
}

void check_call(Rondo_nccl_plan plan, ncclComm_t comm) {
  check_plan(plan);
  require(comm == plan->comm, "the plan was made for another communicator");
}

const std::byte* bytes(const void* memory) {
  return static_cast<const std::byte*>(memory);
}
std::byte* bytes(void* memory) {
  return static_cast<std::byte*>(memory);
}

/// Checks blocks whose lengths the host knows.
void check_lengths(Rondo_nccl_plan plan, const Blocks& blocks) {
  const auto check_side = [&](const std::size_t* counts, const void* buffer, const char* side) {
    for (int rank = 0; rank < plan->ranks; ++rank) {
      const std::size_t length = checked_multiply(counts[rank], blocks.element_bytes);
      require(length <= plan->block_bytes, "the block ", side, " rank ", rank, " has ", length,
              " bytes, but the plan was made for at most ", plan->block_bytes);
      require(length == 0 || buffer != nullptr, "the block ", side, " rank ", rank, " has ", length,
              " bytes, but the buffer is NULL");
    }
  };
  check_side(blocks.send_counts, blocks.send, "for");
  check_side(blocks.receive_counts, blocks.receive, "from");
}

}  // namespace

}  // namespace rondo::gpu

using namespace rondo::gpu;

extern "C" {

const char* Rondo_nccl_error(void) {
  return g_error.c_str();
}

ncclResult_t Rondo_nccl_plan_create(ncclComm_t comm, const char* algorithm, size_t block_bytes,
                                    const Rondo_nccl_host* host, Rondo_nccl_plan* plan) {
  return guarded("Rondo_nccl_plan_create", [&] {
    require(plan != nullptr, "the pointer to the plan is NULL");
    *plan = nullptr;
    require(comm != nullptr, "the communicator is NULL");
    require(algorithm != nullptr, "the algorithm is NULL");
    Setup setup{.comm = comm,
                .rank = 0,
                .ranks = 0,
                .choice = {},
                .block_bytes = block_bytes,
                .host = host};
    check(ncclCommUserRank(comm, &setup.rank), "ncclCommUserRank");
    check(ncclCommCount(comm, &setup.ranks), "ncclCommCount");
    *plan =
        new Rondo_nccl_plan_of{comm, setup.ranks, block_bytes, algorithm, make(algorithm, setup)};
  });
}

ncclResult_t Rondo_nccl_plan_destroy(Rondo_nccl_plan* plan) {
  return guarded("Rondo_nccl_plan_destroy", [&] {
    require(plan != nullptr, "the pointer to the plan is NULL");
    const std::unique_ptr<Rondo_nccl_plan_of> ended(std::exchange(*plan, nullptr));
    if (ended != nullptr) check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  });
}

ncclResult_t Rondo_nccl_plan_check(Rondo_nccl_plan plan) {
  return guarded("Rondo_nccl_plan_check", [&] {
    check_plan(plan);
    plan->exchange->check_device();
  });
}

ncclResult_t Rondo_nccl_plan_set_timeout(Rondo_nccl_plan plan, double seconds) {
  return guarded("Rondo_nccl_plan_set_timeout", [&] {
    check_plan(plan);
    require(seconds > 0, "the timeout is ", seconds, " seconds; it must be more than 0");
    plan->exchange->set_timeout(seconds);
  });
}

ncclResult_t Rondo_nccl_alltoall(const void* sendbuff, void* recvbuff, size_t count,
                                 ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream,
                                 Rondo_nccl_plan plan) {
  return guarded("Rondo_nccl_alltoall", [&] {
    check_call(plan, comm);
    const std::size_t block_bytes = rondo::checked_multiply(count, size_of(datatype));
    require(block_bytes <= plan->block_bytes, "blocks have ", block_bytes,
            " bytes, but the plan was made for at most ", plan->block_bytes);
    // The length is the same on all ranks, so all return.
    if (block_bytes == 0) return;
    require(sendbuff != nullptr && recvbuff != nullptr, "a buffer is NULL");
    plan->exchange->run(
        {.send = bytes(sendbuff), .receive = bytes(recvbuff), .uniform_bytes = block_bytes},
        stream);
  });
}

ncclResult_t Rondo_nccl_alltoallv(const void* sendbuff, const size_t sendcounts[],
                                  const size_t sdispls[], void* recvbuff, const size_t recvcounts[],
                                  const size_t rdispls[], ncclDataType_t datatype, ncclComm_t comm,
                                  cudaStream_t stream, Rondo_nccl_plan plan) {
  return guarded("Rondo_nccl_alltoallv", [&] {
    check_call(plan, comm);
    if (plan->exchange->is_uniform_only())
      throw Failure(ncclInvalidUsage,
                    rondo::text(plan->algorithm,
                                " supports only blocks of equal length; use nccl_grouped, "
                                "mpi_staged or direct"));
    require(
        sendcounts != nullptr && sdispls != nullptr && recvcounts != nullptr && rdispls != nullptr,
        "an array of counts or displacements is NULL");
    const bool on_device = is_on_device(sendcounts);
    for (const size_t* array : {sdispls, recvcounts, rdispls})
      require(is_on_device(array) == on_device,
              "counts and displacements must lie all on the host or all on the device");
    const Blocks blocks{.send = bytes(sendbuff),
                        .receive = bytes(recvbuff),
                        .element_bytes = size_of(datatype),
                        .send_counts = sendcounts,
                        .send_displacements = sdispls,
                        .receive_counts = recvcounts,
                        .receive_displacements = rdispls,
                        .on_device = on_device};
    if (!on_device)
      check_lengths(plan, blocks);
    else if (!plan->exchange->takes_device_counts())
      throw Failure(
          ncclInvalidUsage,
          rondo::text(plan->algorithm,
                      " reads counts on the host, but these lie on the device; use direct"));
    plan->exchange->run(blocks, stream);
  });
}

ncclResult_t Rondo_nccl_alltoallv_dynamic(const void* sendbuff, const size_t sendcounts[],
                                          size_t sendrows, void* recvbuff, size_t recvcounts[],
                                          size_t rdispls[], size_t recvrows, size_t row_bytes,
                                          ncclComm_t comm, cudaStream_t stream,
                                          Rondo_nccl_plan plan) {
  return guarded("Rondo_nccl_alltoallv_dynamic", [&] {
    check_call(plan, comm);
    if (!plan->exchange->takes_device_counts())
      throw Failure(
          ncclInvalidUsage,
          rondo::text(plan->algorithm, " must know what arrives before it starts; use direct"));
    require(row_bytes != 0, "rows have 0 bytes");
    for (const void* array : std::initializer_list<const void*>{sendcounts, recvcounts, rdispls})
      require(array != nullptr && is_on_device(array),
              "counts and displacements must lie on the device");
    require(sendrows == 0 || sendbuff != nullptr, "sendrows is ", sendrows,
            ", but sendbuff is NULL");
    require(recvrows == 0 || recvbuff != nullptr, "recvrows is ", recvrows,
            ", but recvbuff is NULL");
    // So that no sum of lengths within a buffer is too large.
    rondo::checked_multiply(sendrows, row_bytes);
    rondo::checked_multiply(recvrows, row_bytes);
    plan->exchange->run({.send = bytes(sendbuff),
                         .receive = bytes(recvbuff),
                         .element_bytes = row_bytes,
                         .send_counts = sendcounts,
                         .on_device = true,
                         .arriving = {sendrows, recvrows, recvcounts, rdispls}},
                        stream);
  });
}

const char* Rondo_nccl_algorithm(int index) {
  const auto rows = rondo::registry::gpu_algorithms();
  const auto at = static_cast<std::size_t>(index);
  return at < rows.size() ? rows[at].name.data() : nullptr;
}

}  // extern "C"
