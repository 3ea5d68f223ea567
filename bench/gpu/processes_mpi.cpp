#include "base/error.hpp"
#include "gpu/processes.hpp"

#ifdef RONDO_GPU_MPI

#include <mpi.h>

#include "rondo/rondo_nccl_mpi.h"

namespace rondo::bench {

namespace {

class MpiProcesses final : public Processes {
 public:
  MpiProcesses() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    MPI_Comm_size(MPI_COMM_WORLD, &processes_);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_process_);
    MPI_Comm_size(node, &local_processes_);
    MPI_Comm_free(&node);
    if (Rondo_nccl_host_mpi(MPI_COMM_WORLD, &host_) != MPI_SUCCESS)
      throw Error(ErrorClass::other, "MPI has no communicator to spare");
  }
  ~MpiProcesses() override {
    Rondo_nccl_host_mpi_free(&host_);
    MPI_Finalize();
  }

  int process() const override { return process_; }
  int processes() const override { return processes_; }
  int local_process() const override { return local_process_; }
  int local_processes() const override { return local_processes_; }
  void broadcast(std::span<std::byte> bytes) override {
    MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  const Rondo_nccl_host* host() const override { return &host_; }

 private:
  int process_ = 0;
  int processes_ = 1;
  int local_process_ = 0;
  int local_processes_ = 1;
  Rondo_nccl_host host_{};
};

}  // namespace

std::unique_ptr<Processes> make_mpi_processes() {
  return std::make_unique<MpiProcesses>();
}

}  // namespace rondo::bench

#else

namespace rondo::bench {

std::unique_ptr<Processes> make_mpi_processes() {
  throw Error(ErrorClass::argument,
              "--mpi: this rondo-bench-gpu was built without MPI; use --id-file");
}

}  // namespace rondo::bench

#endif
