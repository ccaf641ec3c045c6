#include "nn/attention/score/dot_score.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/error.h"
#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// (1 2 3) . (1 0 -1) = -2, (1 2 3) . (2 2 2) = 12; (0 1 0) picks the second elements.
TEST(DotScore, EqualsLuongSection31ByHand) {
  const auto score = test::score_f64(ScoreKind::dot, {3, 3});
  EXPECT_THAT(
      test::energies(*score, f64({1, 2, 3, 0, 1, 0}, {2, 3}), f64({1, 0, -1, 2, 2, 2}, {2, 3})),
      test::TensorEq(f64({-2, 12, 0, 2}, {2, 2})));
}

TEST(DotScore, NamesBothSizesWhereTheyDiffer) {
  for (const ScoreKind kind : {ScoreKind::dot, ScoreKind::scaled_dot}) {
    EXPECT_THAT(
        [&] {
          static_cast<void>(test::score_f64(kind, {4, 6}));
        },
        ThrowsMessage<ConfigError>(
            AllOf(HasSubstr(fmt::format("model.attention.score: {} compares", kind)),
                  HasSubstr("query of size 4 (model.decoder.hidden)"),
                  HasSubstr("keys of size 6 (model.encoder.hidden, twice if bidirectional)"),
                  HasSubstr("or choose general"))));
  }
}

}  // namespace
}  // namespace attend::nn
