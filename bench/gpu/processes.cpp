#include "gpu/processes.hpp"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"

#ifdef RONDO_GPU_MPI
#include <mpi.h>

#include "rondo/rondo_nccl_mpi.h"
#endif

namespace rondo::bench {

namespace {

namespace fs = std::filesystem;

class OneProcess final : public Processes {
 public:
  int process() const override { return 0; }
  int processes() const override { return 1; }
  void broadcast(std::span<std::byte>) override {}
};

/// Process 0 writes the file, and removes it at its end: another run would take an old file for its
/// own.
class FileProcesses final : public Processes {
 public:
  explicit FileProcesses(const Bootstrap& bootstrap) : bootstrap_(bootstrap) {
    if (process() == 0 && fs::exists(bootstrap.file))
      throw Error(ErrorClass::argument,
                  text(bootstrap.file, " is there already: remove it, or name another file"));
  }
  ~FileProcesses() override {
    std::error_code ignored;
    if (has_written_) fs::remove(bootstrap_.file, ignored);
  }

  int process() const override { return bootstrap_.process; }
  int processes() const override { return bootstrap_.processes; }

  void broadcast(std::span<std::byte> bytes) override {
    if (process() == 0)
      write(bytes);
    else
      read(bytes);
  }

 private:
  /// The file appears at once, complete.
  void write(std::span<const std::byte> bytes) {
    write_file(bootstrap_.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    has_written_ = true;
  }

  void read(std::span<std::byte> bytes) const {
    constexpr auto kPatience = std::chrono::seconds(60);
    const auto start = std::chrono::steady_clock::now();
    while (!fs::exists(bootstrap_.file)) {
      if (std::chrono::steady_clock::now() - start > kPatience)
        throw Error(ErrorClass::argument,
                    text("process 0 did not write ", bootstrap_.file, " within 60 seconds"));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const std::string content = read_file(bootstrap_.file);
    if (content.size() != bytes.size())
      throw Error(ErrorClass::argument,
                  text(bootstrap_.file, " is not what process 0 of this program writes"));
    std::memcpy(bytes.data(), content.data(), bytes.size());
  }

  Bootstrap bootstrap_;
  bool has_written_ = false;
};

#ifdef RONDO_GPU_MPI
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

#endif

}  // namespace

std::unique_ptr<Processes> make_processes(const Bootstrap& bootstrap) {
#ifdef RONDO_GPU_MPI
  if (bootstrap.mpi) return std::make_unique<MpiProcesses>();
#else
  if (bootstrap.mpi)
    throw Error(ErrorClass::argument,
                "--mpi: this rondo-bench-gpu was built without MPI; use --id-file");
#endif
  if (bootstrap.file.empty()) return std::make_unique<OneProcess>();
  return std::make_unique<FileProcesses>(bootstrap);
}

}  // namespace rondo::bench
