#include "core/spans.h"

#include <gmock/gmock.h>

#include <vector>

namespace attend::utf8 {
namespace {

TEST(Spans, AreSearchedForTheLastThatBeginsBeforeAByte) {
  const std::vector<Span> spans = {{2, 4}, {4, 5}, {8, 9}};
  EXPECT_EQ(last_before(spans, 2), nullptr);
  EXPECT_EQ(last_before(spans, 4), &spans[0]);
  EXPECT_EQ(last_before(spans, 8), &spans[1]);
  EXPECT_EQ(last_before(spans, 9), &spans[2]);
  EXPECT_EQ(last_before({}, 9), nullptr);
}

TEST(Spans, ShareBytesButNotBorders) {
  EXPECT_TRUE(share_bytes({2, 4}, {3, 9}));
  EXPECT_TRUE(share_bytes({2, 9}, {3, 4}));
  EXPECT_FALSE(share_bytes({2, 4}, {4, 9}));
  EXPECT_FALSE(share_bytes({4, 9}, {2, 4}));
}

}  // namespace
}  // namespace attend::utf8
