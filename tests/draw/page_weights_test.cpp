#include "draw/page_weights.h"

#include <gmock/gmock.h>

#include <limits>

namespace attend::draw {
namespace {

// In units of 0.00001: 100000 = A0 8D 06, 0 = 00, 50000 = D0 86 03. Base64 by Python's
// base64.b64encode.
TEST(PackWeights, WritesUnitsAsBase128NumbersInBase64) {
  EXPECT_EQ(pack_weights(align::WeightTable(1, 3, {1.0F, 0.0F, 0.5F})), "oI0GANCGAw==");
}

// 00 01 7F, then 128 = 80 01, row by row.
TEST(PackWeights, UsesOneByteBelow128Units) {
  EXPECT_EQ(pack_weights(align::WeightTable(2, 2, {0.0F, 0.00001F, 0.00127F, 0.00128F})),
            "AAF/gAE=");
}

TEST(PackWeights, RoundsToTheNearestUnit) {
  const std::string one = pack_weights(align::WeightTable(1, 1, {0.00001F}));
  EXPECT_EQ(one, "AQ==");
  EXPECT_EQ(pack_weights(align::WeightTable(1, 1, {0.0000149F})), one);
  EXPECT_EQ(pack_weights(align::WeightTable(1, 1, {0.0000051F})), one);
}

TEST(PackWeights, TreatsNegativeWeightsAndNanAsZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(pack_weights(align::WeightTable(1, 3, {-0.5F, nan, 0.0F})),
            pack_weights(align::WeightTable(1, 3, {0.0F, 0.0F, 0.0F})));
}

// 4,000,000,000 = 80 D0 AC F3 0E.
TEST(PackWeights, ClampsLargeWeights) {
  EXPECT_EQ(pack_weights(align::WeightTable(1, 1, {40'000.0F})), "gNCs8w4=");
  EXPECT_EQ(pack_weights(align::WeightTable(1, 1, {std::numeric_limits<float>::infinity()})),
            "gNCs8w4=");
}

TEST(PackWeights, OfAnEmptyTableIsEmpty) {
  EXPECT_EQ(pack_weights(align::WeightTable()), "");
}

}  // namespace
}  // namespace attend::draw
