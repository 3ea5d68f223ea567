// Byte lengths whose overflow is noticed, scratch memory, and what ranks tell of their failures.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "base/bytes.hpp"
#include "base/scratch.hpp"
#include "base/status.hpp"
#include "refusal.hpp"

namespace rondo {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kRoot = std::size_t{1} << 32;

template <class Compute>
void expect_count_error(Compute&& compute) {
  EXPECT_NE(test::refusal(compute, ErrorClass::count), "");
}

TEST(Bytes, SumsAndProductsThatFit) {
  EXPECT_EQ(checked_add(kMost, 0), kMost);
  EXPECT_EQ(checked_add(kMost - 5, 5), kMost);
  EXPECT_EQ(checked_multiply(kMost, 1), kMost);
  EXPECT_EQ(checked_multiply(kMost, 0), 0U);
  EXPECT_EQ(checked_multiply(kRoot, kRoot - 1), kMost - (kRoot - 1));
}

TEST(Bytes, SumsAndProductsThatDoNotFitAreCountErrors) {
  expect_count_error([] { checked_add(kMost, 1); });
  expect_count_error([] { checked_add(kMost / 2 + 1, kMost / 2 + 1); });
  expect_count_error([] { checked_multiply(kRoot, kRoot); });
  expect_count_error([] { checked_multiply(3, kMost / 3 + 1); });
}

TEST(Bytes, CopyAllowsNothingFromNowhereAndOntoItself) {
  copy_bytes(nullptr, nullptr, 0);
  std::array<std::byte, 2> from{std::byte{1}, std::byte{2}};
  std::array<std::byte, 2> to{};
  copy_bytes(to.data(), from.data(), 2);
  EXPECT_EQ(to, from);
  copy_bytes(to.data(), to.data(), 2);
  EXPECT_EQ(to, from);
}

TEST(Status, AFailureIsOfARankThereIs) {
  const auto is_possible = [](std::int32_t rank, std::int32_t told) {
    return Status{.failed_rank = rank, .failed_class = told}.has_possible_failure(4);
  };
  EXPECT_TRUE(is_possible(0, 1));
  EXPECT_TRUE(is_possible(3, kOwnErrors));
  EXPECT_FALSE(is_possible(4, 1));
  EXPECT_FALSE(is_possible(-1, 1));
  EXPECT_FALSE(is_possible(0, 0));
  EXPECT_FALSE(is_possible(0, -1));
}

std::uintptr_t misalignment(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 64;
}

TEST(Scratch, IsAlignedToACacheLine) {
  Scratch scratch;
  for (std::size_t bytes : {0, 1, 63, 64, 65, 1000, 100001}) {
    auto* memory = scratch.bytes(Scratch::kWork, bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(misalignment(memory), 0U) << bytes << " bytes";
  }
}

TEST(Scratch, KeepsItsHighWaterMark) {
  Scratch scratch;
  EXPECT_EQ(scratch.held_bytes(), 0U);
  auto* memory = scratch.bytes(Scratch::kWork, 1000);
  const std::size_t held = scratch.held_bytes();
  EXPECT_GE(held, 1000U);
  for (std::size_t bytes : {10, 1000, 0, 999}) {
    EXPECT_EQ(scratch.bytes(Scratch::kWork, bytes), memory);
    EXPECT_EQ(scratch.held_bytes(), held);
  }
}

TEST(Scratch, GrowsByHalfSoThatCreepingSizesAllocateRarely) {
  Buffer buffer;
  int growths = 0;
  for (std::size_t bytes = 1; bytes <= 10000; ++bytes) {
    const std::size_t before = buffer.capacity();
    buffer.reserve(bytes);
    ASSERT_GE(buffer.capacity(), bytes);
    growths += buffer.capacity() != before ? 1 : 0;
  }
  EXPECT_LE(growths, 14);  // 64 x 1.5^13 > 10000
}

TEST(Scratch, PurposesDoNotShare) {
  Scratch scratch;
  auto* work = scratch.bytes(Scratch::kWork, 64);
  auto* other = scratch.bytes(Scratch::kWorkOther, 64);
  EXPECT_NE(work, other);
  EXPECT_EQ(scratch.bytes(Scratch::kWork, 64), work);
  EXPECT_EQ(scratch.held_bytes(), 128U);
}

TEST(Scratch, ArraysAreTypedAndChecked) {
  Scratch scratch;
  const auto lengths = scratch.array<std::uint64_t>(Scratch::kTable, 100);
  EXPECT_EQ(lengths.size(), 100U);
  EXPECT_EQ(misalignment(lengths.data()), 0U);
  EXPECT_GE(scratch.held_bytes(), 800U);
  expect_count_error([&] { scratch.array<std::uint64_t>(Scratch::kTable, kMost / 8 + 1); });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end the process instead
TEST(Scratch, MemoryThatCannotBeHadIsAnErrorAndLeavesTheBufferUsable) {
  Buffer buffer;
  buffer.reserve(1000);
  EXPECT_NE(test::refusal([&] { buffer.reserve(kMost / 2); }, ErrorClass::no_memory), "");
  EXPECT_EQ(buffer.capacity(), 0U);
  EXPECT_NE(buffer.reserve(10), nullptr);
}
#endif

}  // namespace
}  // namespace rondo
