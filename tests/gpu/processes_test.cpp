// The processes of rondo-bench-gpu find each other by a file.
#include "gpu/processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace {

using namespace rondo::bench;

constexpr int kProcesses = 3;

class ByFile : public ::testing::Test {
 protected:
  ByFile() : file_(::testing::TempDir() + "rondo_id_" + std::to_string(getpid())) {}
  ~ByFile() override { std::filesystem::remove(file_); }

  Bootstrap of(int process) const {
    return {.mpi = false, .file = file_, .process = process, .processes = kProcesses};
  }

  std::string file_;
  std::atomic<int> running_{0};
};

TEST_F(ByFile, AllGetWhatProcess0Has) {
  {
    std::vector<std::jthread> running;
    for (int process = kProcesses - 1; process >= 0; --process)
      running.emplace_back([this, process] {
        const auto processes = make_processes(of(process));
        EXPECT_EQ(processes->process(), process);
        EXPECT_EQ(processes->processes(), kProcesses);
        std::array<int, 32> words{};
        if (process == 0) words.fill(42);
        processes->broadcast(std::as_writable_bytes(std::span(words)));
        EXPECT_EQ(words[0], 42);
        EXPECT_EQ(words[31], 42);
        // Process 0 removes the file when it ends, which is after all have met.
        while (process == 0 && running_ < kProcesses - 1) std::this_thread::yield();
        ++running_;
      });
  }
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(ByFile, AnotherFileIsRefused) {
  std::ofstream(file_) << "something else";
  std::array<std::byte, 128> bytes{};
  EXPECT_THROW(make_processes(of(0)), rondo::Error);
  EXPECT_THROW(make_processes(of(1))->broadcast(bytes), rondo::Error);
  EXPECT_TRUE(std::filesystem::exists(file_)) << "it is not ours to remove";
}

TEST_F(ByFile, WhereNobodyCanWrite) {
  std::array<std::byte, 8> bytes{};
  Bootstrap nowhere = of(0);
  nowhere.file = "/no/such/folder/id";
  EXPECT_THROW(make_processes(nowhere)->broadcast(bytes), rondo::Error);
}

}  // namespace
