// The check must notice every wrong byte. Each byte is broken in turn.
#include "guarded_buffer.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace rondo::bench {
namespace {

BlockName name_of(int rank) {
  return {.seed = 3, .iteration = 2, .source = 1, .destination = rank};
}

GuardedBuffer make(const std::vector<std::size_t>& block_bytes,
                   const GuardedBuffer::Spacing& spacing) {
  GuardedBuffer buffer(spacing);
  buffer.arrange(block_bytes);
  return buffer;
}

TEST(GuardedBuffer, LaysBlocksApart) {
  GuardedBuffer buffer = make({3, 0, 17}, {.gap_bytes = 5});
  EXPECT_EQ(buffer.displacement(0), 0U);
  EXPECT_EQ(buffer.displacement(1), 8U);
  EXPECT_EQ(buffer.displacement(2), 13U);
  EXPECT_EQ(buffer.span_bytes(), 30U);
  EXPECT_EQ(buffer.payload_bytes(), 20U);
}

TEST(GuardedBuffer, FindsEveryByteThatIsWrong) {
  GuardedBuffer buffer = make({3, 0, 17, 8}, {.gap_bytes = 5});
  buffer.fill(name_of);
  EXPECT_EQ(buffer.wrong_bytes(name_of), 0U);
  EXPECT_FALSE(buffer.first_wrong_byte(name_of));
  std::byte* const begin = buffer.data() - GuardedBuffer::kGuardBytes;
  const std::size_t bytes = buffer.span_bytes() + 2 * GuardedBuffer::kGuardBytes;
  for (std::size_t at = 0; at < bytes; ++at) {
    begin[at] ^= std::byte{1};
    EXPECT_EQ(buffer.wrong_bytes(name_of), 1U) << "byte " << at;
    const WrongByte wrong = buffer.first_wrong_byte(name_of).value();
    const auto block =
        wrong.block < 0 ? 0 : static_cast<std::int64_t>(buffer.displacement(wrong.block));
    EXPECT_EQ(block + wrong.offset + 64, static_cast<std::int64_t>(at));
    EXPECT_EQ(wrong.found, wrong.expected ^ 1) << "byte " << at;
    begin[at] ^= std::byte{1};
  }
}

TEST(GuardedBuffer, TellsTheFirstWrongByteByItsBlock) {
  GuardedBuffer buffer = make({3, 0, 17, 8}, {.gap_bytes = 5});
  buffer.fill(name_of);
  const auto first = [&] { return buffer.first_wrong_byte(name_of).value(); };
  buffer.data()[buffer.displacement(3) + 7] ^= std::byte{1};
  EXPECT_EQ(first().block, 3);
  EXPECT_EQ(first().offset, 7);
  buffer.data()[buffer.displacement(2)] ^= std::byte{1};
  EXPECT_EQ(first().block, 2);
  EXPECT_EQ(first().offset, 0);
  buffer.data()[4] ^= std::byte{1};
  EXPECT_EQ(first().block, -1);
  EXPECT_EQ(first().offset, 4);
  EXPECT_EQ(first().expected, std::to_integer<int>(kPoison));
}

TEST(GuardedBuffer, IsArrangedAnewAndStillFindsEveryByte) {
  GuardedBuffer buffer = make({30, 2, 17, 8}, {.gap_bytes = 5});
  const std::size_t capacity = buffer.span_bytes();
  for (const std::vector<std::size_t>& blocks :
       {std::vector<std::size_t>{3, 0, 1}, std::vector<std::size_t>{0, 40, 2, 5}}) {
    buffer.arrange(blocks);
    EXPECT_GT(buffer.wrong_bytes(name_of), 0U);
    buffer.poison();
    buffer.fill(name_of);
    EXPECT_EQ(buffer.wrong_bytes(name_of), 0U);
    std::byte* const begin = buffer.data() - GuardedBuffer::kGuardBytes;
    const std::size_t bytes = std::max(capacity, buffer.span_bytes());
    for (std::size_t at = 0; at < bytes + 2 * GuardedBuffer::kGuardBytes; ++at) {
      begin[at] ^= std::byte{1};
      EXPECT_EQ(buffer.wrong_bytes(name_of), 1U) << "byte " << at;
      begin[at] ^= std::byte{1};
    }
  }
}

TEST(GuardedBuffer, SeesWhatWasNotReceivedAndWhatIsStale) {
  constexpr std::size_t kBytes = 4096;
  GuardedBuffer buffer = make({kBytes}, {});
  EXPECT_GT(buffer.wrong_bytes(name_of), kBytes * 98 / 100);
  buffer.fill(name_of);
  // Bytes of any other block, seed or iteration agree by chance only, one in 256.
  for (const BlockName& other :
       {BlockName{4, 2, 1, 0}, BlockName{3, 1, 1, 0}, BlockName{3, 2, 0, 0}, BlockName{3, 2, 1, 1}})
    EXPECT_GT(buffer.wrong_bytes([&](int) { return other; }), kBytes * 98 / 100);
  buffer.poison();
  EXPECT_GT(buffer.wrong_bytes(name_of), kBytes * 98 / 100);
}

TEST(GuardedBuffer, SeesShiftedData) {
  constexpr std::size_t kBytes = 1024;
  std::vector<std::byte> block(kBytes + 8);
  fill_pattern(block, name_of(0));
  for (std::size_t shift = 1; shift <= 8; ++shift)
    EXPECT_GT(count_wrong_bytes(std::span(block).subspan(shift, kBytes), name_of(0)),
              kBytes * 97 / 100);
}

TEST(GuardedBuffer, TooLargeIsAnError) {
  EXPECT_NO_THROW(make({8, 8}, {.gap_bytes = 4, .most_span_bytes = 20}));
  EXPECT_THROW(make({8, 8}, {.gap_bytes = 4, .most_span_bytes = 19}), Error);
  EXPECT_THROW(make({SIZE_MAX / 2, SIZE_MAX / 2, 2}, {}), Error);
  EXPECT_THROW(make({SIZE_MAX - 1000}, {}), Error);
}

}  // namespace
}  // namespace rondo::bench
