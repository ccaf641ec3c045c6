#include "align/statistical/lexical_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "core/random.h"

namespace attend::align {
namespace {

TEST(LexicalCounts, CountPairsAndTotals) {
  LexicalCounts counts(3);
  counts.add(1, 7, 2);
  counts.add(1, 9, 1);
  counts.add(2, 7, 5);
  counts.add(1, 7, -1);
  EXPECT_EQ(counts.row(1).count(7), 1);
  EXPECT_EQ(counts.row(1).count(9), 1);
  EXPECT_EQ(counts.row(1).count(8), 0);
  EXPECT_EQ(counts.row(1).total(), 2);
  EXPECT_EQ(counts.row(2).total(), 5);
  EXPECT_EQ(counts.row(0).total(), 0);
}

// A model-based test against std::map: tables grow, lose pairs and are compacted.
TEST(LexicalCounts, AgreeWithAMap) {
  Random random(5);
  LexicalCounts counts(4);
  std::map<std::pair<int32_t, int32_t>, int32_t> model;
  for (int step = 0; step < 20'000; ++step) {
    const auto source = static_cast<int32_t>(random.below(4));
    const auto target = static_cast<int32_t>(random.below(300));
    int32_t& expected = model[{source, target}];
    const int32_t change = expected > 0 && random.below(2) == 0 ? -expected : 1;
    counts.add(source, target, change);
    expected += change;
    if (step % 997 == 0) counts.compact();
  }
  for (int32_t source = 0; source < 4; ++source) {
    int64_t total = 0;
    for (int32_t target = 0; target < 300; ++target) {
      EXPECT_EQ(counts.row(source).count(target), (model[{source, target}]));
      total += model[{source, target}];
    }
    EXPECT_EQ(counts.row(source).total(), total);
  }
}

}  // namespace
}  // namespace attend::align
