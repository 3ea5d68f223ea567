#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "child.hpp"
#include "segment/segment.hpp"

namespace rondo::segment {
namespace {

constexpr std::size_t kOnePage = 4096;

TEST(OtherMemory, AChildCanBeReadIfTheSystemLetsUs) {
  std::uint64_t value = 0x1234;
  const test::Child child(test::sleep_for_ever);
  value = 0x5678;  // here; not there
  std::uint64_t found = 0;
  auto* const to = reinterpret_cast<std::byte*>(&found);
  const auto address = reinterpret_cast<std::uintptr_t>(&value);
  if (!read_memory(child.process(), address, to, sizeof found))
    GTEST_SKIP() << "no process may read another's memory here";
  EXPECT_EQ(found, 0x1234U);
}

TEST(OtherMemory, OnlyTheProcessWithTheValueCanBeRead) {
  std::uint64_t value = 7;
  const Sample own = sample_of(value);
  if (!can_read(own)) GTEST_SKIP() << "no process may read any memory here";
  Sample other = own;
  other.value = 8;
  EXPECT_FALSE(can_read(other));
  other = own;
  other.process = 1 << 30;
  EXPECT_FALSE(can_read(other));
  other = own;
  other.address = 8;
  EXPECT_FALSE(can_read(other));
}

TEST(OtherMemory, WhatEndsInPagesThatCannotBeReadIsRefused) {
  void* const mapped =
      mmap(nullptr, 3 * kOnePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const pages = static_cast<std::byte*>(mapped);
  pages[0] = std::byte{5};
  ASSERT_EQ(munmap(pages + 2 * kOnePage, kOnePage), 0);
  std::vector<std::byte> to(3 * kOnePage);
  const auto address = reinterpret_cast<std::uintptr_t>(pages);
  if (!read_memory(getpid(), address, to.data(), 2 * kOnePage))
    GTEST_SKIP() << "no process may read any memory here";
  EXPECT_EQ(to[0], std::byte{5});
  EXPECT_FALSE(read_memory(getpid(), address, to.data(), 2 * kOnePage + 1));
  EXPECT_TRUE(read_memory(getpid(), address, to.data(), 0));
  munmap(pages, 2 * kOnePage);
}

}  // namespace
}  // namespace rondo::segment
