#include "core/first_few.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(FirstFew, NamesFiveAndCountsTheOthers) {
  FirstFew seen;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(seen.add());
  EXPECT_FALSE(seen.has_unnamed());
  EXPECT_FALSE(seen.add());
  EXPECT_TRUE(seen.has_unnamed());
  EXPECT_EQ(seen.count(), 6);
}

}  // namespace
}  // namespace attend
