// Batches with --batch-unit tokens. The tests of each command check that results do not depend on
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/align/forced_pairs.h"
#include "app/translate/batch_overrides.h"
#include "app/translate/translate_lines.h"
#include "core/error.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::app {
namespace {

using ::testing::ElementsAre;

TEST(BatchOverrides, ASizeAloneCountsSentences) {
  decode::DecodingOptions options;
  options.batch_unit = data::BatchUnit::tokens;
  BatchOverrides overrides;
  overrides.size = 64;
  overrides.apply_to(options);
  EXPECT_EQ(options.batch_unit, data::BatchUnit::sentences);
}

class TokenBatches : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  static inline cli::test::SuiteModel model_;
  attend::test::TempDir dir_;
};

/// The line numbers of each block that the model decodes.
std::vector<std::vector<int64_t>> forced_blocks(const LoadedModel& model,
                                                const decode::BatchSize& size,
                                                const std::vector<data::LinePair>& pairs) {
  std::vector<std::vector<int64_t>> blocks;
  ForceOptions options{.batch = size};
  options.matrices = [&](const model::Seq2Seq&, const PairBlock& block) {
    blocks.push_back(block.ids);
    return std::vector<torch::Tensor>(block.ids.size());
  };
  static_cast<void>(PairForcer(model, options).force(pairs, 0));
  return blocks;
}

// With end symbols, the longer sides have 3, 5, 4 and 5 tokens, so the two of 5 fill a batch of 10.
// Batches that count lines are sorted by the words of both sides: 4, 5, 6 and 5.
TEST_F(TokenBatches, OfPairsCountTheLongerSide) {
  const LoadedModel model = load_model(model_.path(), attend::test::tested_device());
  const std::vector<data::LinePair> pairs{
      {"a b", "w x"}, {"a b c d", "w"}, {"a b c", "w x y"}, {"a", "w x y z"}};
  EXPECT_THAT(forced_blocks(model, {.size = 10, .in_tokens = true}, pairs),
              ElementsAre(ElementsAre(1, 3), ElementsAre(2, 0)));
  EXPECT_THAT(forced_blocks(model, {.size = 9, .in_tokens = true}, pairs),
              ElementsAre(ElementsAre(1), ElementsAre(3), ElementsAre(2, 0)));
  EXPECT_THAT(forced_blocks(model, {.size = 2}, pairs),
              ElementsAre(ElementsAre(2, 1), ElementsAre(3, 0)));
}

/// Counts the lines of the first block.
class FirstBlock final : public TranslationSink {
 public:
  void add(const TranslatedLine&) override {}
  void end_block(const InputBlock& block) override {
    if (block.number == 0) lines_ = block.lines;
  }
  [[nodiscard]] int64_t lines() const { return lines_; }

 private:
  int64_t lines_ = 0;
};

// 64 tokens are two typical lines, each of 31 pieces and an end symbol. So 20 batches are 40 lines.
TEST_F(TokenBatches, AreReadAheadByTheirUsualLength) {
  const auto models = load_models({model_.path()}, attend::test::tested_device());
  const Translator translator(models, {});
  TranslateLinesOptions options;
  options.search.decoding.batch_unit = data::BatchUnit::tokens;
  options.search.decoding.batch_size = 64;
  options.shard = LineShard{0, 1};
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a b c\n";
  LineReader input(dir_.write("input", text));
  FirstBlock sink;
  static_cast<void>(translate_lines(input, translator, options, sink));
  EXPECT_EQ(sink.lines(), 40);
}

}  // namespace
}  // namespace attend::app
