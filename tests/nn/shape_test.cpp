#include "nn/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

namespace attend::nn {
namespace {

using testing::StrEq;
using testing::ThrowsMessage;

TEST(CheckShape, AcceptsTheShapeAndAnyExtentForAStar) {
  EXPECT_NO_THROW(check_shape(torch::zeros({4, 7, 9}), {4, kAny, 9}, "keys"));
}

TEST(CheckShape, TellsWhatWasExpectedAndWhatCame) {
  EXPECT_THAT(
      [] {
        check_shape(torch::zeros({7, 4, 16}), {4, 7, kAny}, "keys");
      },
      ThrowsMessage<ShapeError>(StrEq("keys: expected [4, 7, *], got [7, 4, 16]")));
}

TEST(CheckShape, RefusesAnotherNumberOfDimensions) {
  EXPECT_THAT(
      [] {
        check_shape(torch::zeros({4, 7}), {4, 7, kAny}, "query");
      },
      ThrowsMessage<ShapeError>(StrEq("query: expected [4, 7, *], got [4, 7]")));
}

}  // namespace
}  // namespace attend::nn
