#include "align/attention_json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/error.h"

namespace attend::align {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

AttentionMatrix example() {
  return {.target = {"Ein", "</s>"},
          .source = {"▁A", "</s>"},
          .weights = WeightTable(2, 2, {0.1F, 0.9F, 0.25F, 0.75F}),
          .heads = {}};
}

TEST(AttentionJson, WritesEveryFieldInTheOrderOfTheContract) {
  EXPECT_EQ(attention_json({.id = 7, .rank = 2, .level = Level::kWord, .score = -1.25}, example()),
            R"({"id":7,"rank":2,"level":"word","source":["▁A","</s>"],"target":["Ein","</s>"],)"
            R"("attention":[[0.1,0.9],[0.25,0.75]],"score":-1.25})");
}

TEST(AttentionJson, OmitsAScoreThatIsNotSet) {
  EXPECT_THAT(attention_json({}, example()), Not(HasSubstr("score")));
}

TEST(AttentionJson, WritesNullForAModelWithoutAttention) {
  AttentionMatrix matrix = example();
  matrix.weights = {};
  EXPECT_THAT(attention_json({}, matrix), HasSubstr(R"("attention":null)"));
}

TEST(AttentionJson, WritesSeveralHeads) {
  AttentionMatrix matrix = example();
  matrix.heads = {WeightTable(2, 2, {1, 0, 0, 1}), WeightTable(2, 2, {0, 1, 1, 0})};
  EXPECT_THAT(attention_json({}, matrix),
              HasSubstr(R"("heads":[[[1.0,0.0],[0.0,1.0]],[[0.0,1.0],[1.0,0.0]]])"));
}

TEST(AttentionJson, WritesEveryKindWithItsLayersHeadsAndRollout) {
  const auto table = [](float a) { return WeightTable(1, 1, {a}); };
  const auto layer = [](WeightTable mean, std::vector<WeightTable> heads) {
    return AttentionMatrix{
        .target = {"x"}, .source = {"<s>"}, .weights = std::move(mean), .heads = std::move(heads)};
  };
  const std::vector<AttentionKind> kinds{
      {"decoder",
       {layer(table(0.5F), {table(0.25F), table(0.75F)}), layer(table(1), {})},
       layer(table(0.125F), {})},
      {"cross", {layer(table(1), {})}, {}}};
  const auto json = nlohmann::json::parse(attention_json({}, example(), kinds));
  EXPECT_EQ(json["kinds"],
            nlohmann::json::parse(R"({"decoder": {"layers": [[[[0.25]], [[0.75]]], [[[1.0]]]],)"
                                  R"( "rollout": [[0.125]]}, "cross": {"layers": [[[[1.0]]]]}})"));
  EXPECT_EQ(json["target_input"], nlohmann::json({"<s>"}));
  EXPECT_EQ(json["attention"][0][1].get<float>(), 0.9F);
}

TEST(AttentionJson, HasNoKindsIfThereAreNone) {
  EXPECT_THAT(attention_json({}, example()), Not(HasSubstr("kinds")));
}

TEST(AttentionJson, KeepsEveryBitOfAWeight) {
  AttentionMatrix matrix = example();
  const float third = 1.0F / 3.0F;
  matrix.weights(1, 0) = third;
  matrix.weights(1, 1) = 1e-30F;
  const auto json = nlohmann::json::parse(attention_json({}, matrix));
  EXPECT_EQ(json["attention"][1][0].get<float>(), third);
  EXPECT_EQ(json["attention"][1][1].get<float>(), 1e-30F);
}

TEST(AttentionJson, EscapesNamesOfAnyKind) {
  AttentionMatrix matrix = example();
  matrix.source[0] = "\"\\\x01\xff";
  const auto json = nlohmann::json::parse(attention_json({}, matrix));
  EXPECT_EQ(json["source"][0], "\"\\\x01\ufffd");
}

TEST(Level, RejectsAnUnknownNameWithTheChoices) {
  EXPECT_EQ(parse_level("piece"), Level::kPiece);
  EXPECT_EQ(parse_level("word"), Level::kWord);
  EXPECT_THAT([] { (void)parse_level("words"); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean \"word\"?; choices: piece, word")));
}

TEST(AttentionJson, IsReadBackAtWordLevel) {
  const AttentionMatrix read = parse_word_attention(
      attention_json({.id = 0, .rank = 0, .level = Level::kWord, .score = 1.0}, example()));
  EXPECT_EQ(read.source, example().source);
  EXPECT_EQ(read.target, example().target);
  EXPECT_EQ(read.weights, example().weights);
}

TEST(AttentionJson, SaysWhyARecordIsNotRead) {
  const auto reading = [](const std::string& line) {
    return [line] { (void)parse_word_attention(line); };
  };
  EXPECT_THAT(reading(attention_json({}, example())),
              ThrowsMessage<std::runtime_error>(HasSubstr("its level is not word")));
  EXPECT_THAT(reading("0-0 1-1"),
              ThrowsMessage<std::runtime_error>(HasSubstr("not a JSON object")));
  EXPECT_THAT(reading(R"({"level":"word","target":["x"],"source":["a"],"attention":[["b"]]})"),
              ThrowsMessage<std::runtime_error>(HasSubstr("malformed")));
  EXPECT_THAT(reading(R"({"level":"word","target":["x"],"source":["a"],"attention":[[1],[1]]})"),
              ThrowsMessage<std::runtime_error>(HasSubstr("rows do not fit the target words")));
  EXPECT_THAT(reading(R"({"level":"word","target":["x"],"source":["a"],"attention":[[1,2]]})"),
              ThrowsMessage<std::runtime_error>(HasSubstr("does not fit the source words")));
}

}  // namespace
}  // namespace attend::align
