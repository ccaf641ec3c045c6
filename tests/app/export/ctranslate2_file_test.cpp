#include "app/export/ctranslate2_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string_view>

#include "tests/app/export/ctranslate2_reader.h"

namespace attend::app {
namespace {

using namespace std::literals;
using testing::ElementsAre;
using testing::Pair;

// The layout of _serialize() in ctranslate2/specs/model_spec.py, by hand.
TEST(Ctranslate2File, HasTheBytesOfTheFormat) {
  const std::string bytes = ctranslate2_bytes(
      {{"a/b", torch::tensor({{1.0F, -2.0F}})}, {"c", torch::scalar_tensor(3, torch::kShort)}});
  EXPECT_EQ(bytes,
            "\x06\0\0\0"
            "\x10\0TransformerSpec\0"
            "\x07\0\0\0"
            "\x02\0\0\0"
            "\x04\0a/b\0"
            "\x02\x01\0\0\0\x02\0\0\0"
            "\0"
            "\x08\0\0\0"
            "\0\0\x80\x3F\0\0\0\xC0"
            "\x02\0c\0"
            "\0"
            "\x02"
            "\x02\0\0\0"
            "\x03\0"
            "\0\0\0\0"s);
}

TEST(Ctranslate2File, WritesEqualTensorsOnceButEverySetting) {
  const torch::Tensor matrix = torch::arange(6, torch::kFloat).view({2, 3});
  const attend::test::Ctranslate2Content content = attend::test::read_ctranslate2(
      ctranslate2_bytes({{"a", matrix},
                         {"b", matrix.clone()},
                         {"c", matrix.view({3, 2})},
                         {"d", torch::scalar_tensor(1, torch::kChar)},
                         {"e", torch::scalar_tensor(1, torch::kChar)}}));
  EXPECT_THAT(content.aliases, ElementsAre(Pair("b", "a")));
  EXPECT_EQ(content.variables.size(), 4U);
  EXPECT_TRUE(torch::equal(content.variables.at("c"), matrix.view({3, 2})));
}

TEST(Ctranslate2File, WritesEveryTypeAndViewsInOrder) {
  const torch::Tensor view = torch::arange(6, torch::kFloat).view({2, 3}).t();
  const attend::test::Ctranslate2Content content = attend::test::read_ctranslate2(
      ctranslate2_bytes({{"int8", torch::tensor({-1, 7}, torch::kChar)},
                         {"int16", torch::tensor({-300}, torch::kShort)},
                         {"int32", torch::tensor({70000}, torch::kInt)},
                         {"view", view}}));
  EXPECT_TRUE(torch::equal(content.variables.at("int8"), torch::tensor({-1, 7}, torch::kChar)));
  EXPECT_TRUE(torch::equal(content.variables.at("int16"), torch::tensor({-300}, torch::kShort)));
  EXPECT_TRUE(torch::equal(content.variables.at("int32"), torch::tensor({70000}, torch::kInt)));
  EXPECT_TRUE(torch::equal(content.variables.at("view"), view));
}

TEST(Ctranslate2File, RefusesTypesThatTheFormatLacks) {
  EXPECT_THROW((void)ctranslate2_bytes({{"a", torch::zeros({1}, torch::kFloat64)}}),
               std::logic_error);
}

}  // namespace
}  // namespace attend::app
