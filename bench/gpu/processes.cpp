#include "gpu/processes.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.hpp"

namespace rondo::bench {

namespace {

namespace fs = std::filesystem;

class OneProcess final : public Processes {
 public:
  int process() const override { return 0; }
  int processes() const override { return 1; }
  void broadcast(std::span<std::byte>) override {}
};

/// Process 0 writes the file and removes it at its end; a file that was there before would be taken
/// for it.
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
  /// The file appears whole.
  void write(std::span<const std::byte> bytes) {
    const std::string unfinished = bootstrap_.file + ".part";
    std::ofstream out(unfinished, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    std::error_code error;
    if (out) fs::rename(unfinished, bootstrap_.file, error);
    if (!out || error)
      throw Error(ErrorClass::argument, text(bootstrap_.file, " cannot be written"));
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
    std::ifstream in(bootstrap_.file, std::ios::binary);
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!in || in.peek() != std::ifstream::traits_type::eof())
      throw Error(ErrorClass::argument,
                  text(bootstrap_.file, " is not what process 0 of this program writes"));
  }

  Bootstrap bootstrap_;
  bool has_written_ = false;
};

}  // namespace

std::unique_ptr<Processes> make_processes(const Bootstrap& bootstrap) {
  if (bootstrap.mpi) return make_mpi_processes();
  if (bootstrap.file.empty()) return std::make_unique<OneProcess>();
  return std::make_unique<FileProcesses>(bootstrap);
}

}  // namespace rondo::bench
