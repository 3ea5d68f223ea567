// The texts that --bytes accepts and refuses.
#include "byte_list.hpp"

#include <gtest/gtest.h>

#include "refusal.hpp"

namespace rondo::bench {
namespace {

using Sizes = std::vector<std::size_t>;

struct ByteList {
  const char* text;
  Sizes sizes;
};

const ByteList kByteLists[] = {
    {"16", {16}},
    {"16,64,256", {16, 64, 256}},
    {"16:128", {16, 32, 64, 128}},
    {"16:100", {16, 32, 64}},
    {"7:7", {7}},
    {"0,1", {0, 1}},
    {"1k,2m", {1024, 2 * 1024 * 1024}},
    {"512:2k", {512, 1024, 2048}},
    {"3,1:4,0", {3, 1, 2, 4, 0}},
    {"2147483647", {2147483647}},
    {"1024m:2147483647", {1073741824}},
    {"1g", {1073741824}},
    {"1K,1M,1G", {1024, 1048576, 1073741824}},
};

TEST(ByteList, Accepts) {
  for (const ByteList& row : kByteLists)
    EXPECT_EQ(parse_byte_list(row.text), row.sizes) << row.text;
}

void expect_refused(const char* text) {
  EXPECT_TRUE(test::says(test::refusal([&] { parse_byte_list(text); }), "--bytes: '")) << text;
}

TEST(ByteList, RefusesAndNamesTheEntry) {
  for (const char* text : {"", ",", "16,", "x", "-1", "16q", "1kk", "0:8", "64:16", "16:", ":16",
                           "1:2:4", "1.5", " 1", "2g", "1kb"})
    expect_refused(text);
  for (const char* text : {"2048m", "2147483648", "18014398509481984g", "99999999999999999999"})
    expect_refused(text);
}

}  // namespace
}  // namespace rondo::bench
