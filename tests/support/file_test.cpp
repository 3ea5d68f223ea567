// Files that are read as a whole and written once, and the errors.
#include "support/file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "refusal.hpp"

namespace rondo::support {
namespace {

class File : public testing::Test {
 protected:
  ~File() override { std::filesystem::remove(path_); }

  const std::string path_ = testing::TempDir() + "rondo_file_test." + std::to_string(getpid());
};

using test::refusal;

TEST_F(File, HasWhatWasWritten) {
  const std::string large(300000, 'x');
  OutputFile out(path_);
  out.write("a line\n");
  out.flush();
  EXPECT_EQ(read_file(path_), "a line\n");
  out.write(large);
  out.write(std::string(1, '\0'));
  out.close();
  EXPECT_EQ(read_file(path_), "a line\n" + large + std::string(1, '\0'));
  OutputFile(path_).close();
  EXPECT_EQ(read_file(path_), "");
}

TEST_F(File, WhatCannotBeReadOrWrittenIsNamed) {
  EXPECT_EQ(refusal([&] { read_file(path_); }), path_ + ": No such file or directory");
  EXPECT_EQ(refusal([] { read_file("/"); }), "/: Is a directory");
  EXPECT_EQ(refusal([&] { OutputFile out(path_ + "/x"); }),
            path_ + "/x: No such file or directory");
  EXPECT_EQ(refusal([] { OutputFile out("/"); }), "/: Is a directory");
}

TEST_F(File, AFullDiskIsSeenWhenFlushedOrClosed) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  for (const bool closes : {false, true})
    EXPECT_EQ(refusal([&] {
                OutputFile out("/dev/full");
                out.write("x");
                closes ? out.close() : out.flush();
              }),
              "/dev/full: No space left on device");
}

}  // namespace
}  // namespace rondo::support
