#include "app/model/inspection.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using attend::test::TempDir;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

TEST(BlockSizes, AddUpByTheFirstTwoPartsOfTheName) {
  const std::map<std::string, torch::Tensor> weights{
      {"decoder.stack.0.weight", torch::zeros({2, 3})},
      {"decoder.stack.0.bias", torch::zeros({3})},
      {"decoder.attention.query", torch::zeros({4})},
      {"output.weight", torch::zeros({5})}};

  const auto sizes = block_sizes(weights);

  ASSERT_EQ(sizes.size(), 4U);
  EXPECT_EQ(sizes[0].name, "decoder");
  EXPECT_EQ(sizes[0].parameters, 13);
  EXPECT_EQ(sizes[1].name, "decoder.attention");
  EXPECT_EQ(sizes[1].parameters, 4);
  EXPECT_EQ(sizes[2].name, "decoder.stack");
  EXPECT_EQ(sizes[2].parameters, 9);
  EXPECT_EQ(sizes[3].name, "output");
}

TEST(WithCommas, GroupsByThousands) {
  EXPECT_EQ(with_commas(7), "7");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-123456), "-123,456");
}

TEST(HistoryTable, HasALineForEachValidation) {
  const TempDir dir;
  const auto file =
      dir.write("train.jsonl", R"({"type": "train", "update": 50, "loss": 4.0})"
                               "\n"
                               R"({"type": "validation", "update": 100, "epoch": 1.5, "loss": 2.5,)"
                               R"( "perplexity": 12.18, "bleu": 31.25, "best": true})"
                               "\n{\"type\": \"valid");

  const auto table = history_table(file);

  EXPECT_THAT(table, HasSubstr("      100     1.50   2.5000      12.180   31.25  best\n"));
  EXPECT_THAT(table, Not(HasSubstr(" 50 ")));
}

TEST(HistoryTable, MarksOnlyTheBestOfAll) {
  const TempDir dir;
  const auto file = dir.write("train.jsonl",
                              "{\"type\": \"validation\", \"update\": 1, \"best\": true}\n"
                              "{\"type\": \"validation\", \"update\": 2, \"best\": true}\n"
                              "{\"type\": \"validation\", \"update\": 3, \"best\": false}\n");
  std::istringstream table(history_table(file));
  std::string heading, line;
  std::getline(table, heading);
  for (const bool best : {false, true, false}) {
    std::getline(table, line);
    EXPECT_EQ(line.ends_with("best"), best) << line;
  }
}

// Regression: such a line was reported as an internal error.
TEST(HistoryTable, NamesAMalformedLine) {
  const TempDir dir;
  for (const char* line : {R"({"type": 7})", R"({"type": "validation", "best": "yes"})"}) {
    const auto file = dir.write("train.jsonl", std::string("{\"type\": \"train\"}\n") + line);
    EXPECT_THAT([&] { (void)history_table(file); },
                ThrowsMessage<DataError>(HasSubstr("train.jsonl:2: ")))
        << line;
  }
}

TEST(HistoryTable, IsEmptyWithoutAFile) {
  EXPECT_EQ(history_table("/nonexistent/train.jsonl"), "");
}

}  // namespace
}  // namespace attend::app
