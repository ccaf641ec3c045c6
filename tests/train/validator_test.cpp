#include "train/validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/batching.h"
#include "data/dev_set.h"
#include "decode/forced.h"
#include "tests/data/toy_corpus.h"
#include "tests/support/temp_dir.h"

namespace attend::train {
namespace {

using test::TempDir;

/// Six lines over the words a .. j, and a model that knows nothing.
struct DevText {
  DevText()
      : tokenizer(test::word_tokenizer(folder)),
        text(data::read_dev_set(
            test::write_pairs(folder, "dev", "a b c\nd\na a a a a\nb c\n\nj i h g\n",
                              "c b a\nd d\na\nc b\n\ng h i j\n"),
            50, {tokenizer, tokenizer})) {
    model::ModelOptions model_options;
    model_options.embedding = 6;
    model_options.encoder.hidden = 5;
    model_options.decoder.hidden = 7;
    model_options.dropout.output = 0.5;
    model = std::make_shared<model::Seq2Seq>(model_options, tokenizer.size(), tokenizer.size());
    model::initialize(*model, 3);
    decoding.batch_size = 4;
  }
  ValidationResult validate() {
    DevSetValidator validator(text, {tokenizer, tokenizer}, options, decoding,
                              [this] { ++batches; });
    return validator.validate(*model);
  }

  TempDir folder;
  text::Tokenizer tokenizer;
  data::DevSet text;
  std::shared_ptr<model::Seq2Seq> model;
  ValidationOptions options;
  decode::DecodingOptions decoding;
  int batches = 0;
};

TEST(DevSetValidator, MeasuresTheLossPerTargetTokenOfAllLines) {
  DevText setup;
  setup.model->eval();
  double log_prob = 0.0;
  int64_t tokens = 0;
  for (int64_t i = 0; i < 6; ++i) {
    auto source = setup.text.pairs.source(i);
    source.push_back(text::kEos);
    const std::vector<std::vector<text::TokenId>> sources = {source};
    const std::vector<std::vector<text::TokenId>> targets = {setup.text.pairs.target(i)};
    log_prob +=
        decode::force_decode(*setup.model, data::pad(sources), targets, false)[0].log_prob();
    tokens += setup.text.pairs.target_length(i) + 1;
  }
  EXPECT_NEAR(setup.validate().loss, -log_prob / static_cast<double>(tokens), 1e-5);
}

TEST(DevSetValidator, ComparesTheTranslationsWithTheLinesOfTheFile) {
  DevText setup;
  setup.options.samples = 6;
  const auto hypotheses = setup.validate().samples;
  ASSERT_EQ(hypotheses.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) setup.text.reference[i] = "";
  for (const Sample& sample : hypotheses) {
    const auto line =
        std::find(setup.text.source().begin(), setup.text.source().end(), sample.source);
    ASSERT_NE(line, setup.text.source().end());
    setup.text.reference[static_cast<std::size_t>(line - setup.text.source().begin())] =
        sample.hypothesis;
  }
  EXPECT_NEAR(setup.validate().bleu.value(), 100.0, 1e-9);
}

// `translate` and `eval` pass an empty line on as an empty line; validation once asked the model.
TEST(DevSetValidator, TranslatesAnEmptySourceToNothing) {
  DevText setup;
  setup.options.samples = 6;
  int empty = 0;
  for (const Sample& sample : setup.validate().samples) {
    if (!sample.source.empty()) continue;
    ++empty;
    EXPECT_EQ(sample.hypothesis, "");
    EXPECT_FALSE(sample.attention.defined());
  }
  EXPECT_EQ(empty, 1);
}

TEST(DevSetValidator, TranslatesNothingWithoutABeam) {
  DevText setup;
  setup.options.beam = 0;
  const ValidationResult result = setup.validate();
  EXPECT_FALSE(result.bleu.has_value());
  EXPECT_TRUE(result.samples.empty());
  EXPECT_EQ(setup.batches, 1);
}

TEST(DevSetValidator, CanBeLimitedToTheFirstSentences) {
  DevText limited;
  limited.options.max_sentences = 2;
  limited.options.samples = 6;
  const ValidationResult result = limited.validate();
  std::vector<std::string> sources;
  for (const Sample& sample : result.samples) sources.push_back(sample.source);
  EXPECT_THAT(sources, testing::UnorderedElementsAre("a b c", "d"));
}

TEST(DevSetValidator, GivesSamplesWithNamesForRowsAndColumns) {
  DevText setup;
  setup.options.samples = 2;
  const ValidationResult result = setup.validate();
  ASSERT_EQ(result.samples.size(), 2U);
  for (const Sample& sample : result.samples) {
    EXPECT_EQ(sample.attention.size(0), static_cast<int64_t>(sample.target_pieces.size()));
    EXPECT_EQ(sample.attention.size(1), static_cast<int64_t>(sample.source_pieces.size()));
    EXPECT_EQ(sample.source_pieces.back(), "</s>");
    EXPECT_EQ(sample.target_pieces.back(), "</s>");
  }
}

TEST(DevSetValidator, IsNotDisturbedByDropoutAndLeavesTheModelTraining) {
  DevText setup;
  setup.model->train();
  EXPECT_EQ(setup.validate().loss, setup.validate().loss);
  EXPECT_TRUE(setup.model->is_training());
}

TEST(DevSetValidator, CanBeStoppedBetweenBatches) {
  DevText setup;
  setup.model->train();
  DevSetValidator validator(setup.text, {setup.tokenizer, setup.tokenizer}, setup.options,
                            setup.decoding, [] { throw std::runtime_error("stop"); });
  EXPECT_THROW(static_cast<void>(validator.validate(*setup.model)), std::runtime_error);
  EXPECT_TRUE(setup.model->is_training());
}

TEST(ScoreOf, IsBleuOrTheNegatedLoss) {
  ValidationResult result;
  result.loss = 1.5;
  result.bleu = 30.0;
  EXPECT_EQ(score_of(result, "bleu"), 30.0);
  EXPECT_EQ(score_of(result, "loss"), -1.5);
}

TEST(ScoreOf, IsTheLeastWhereTheLossIsNotFinite) {
  ValidationResult result;
  result.loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_LT(score_of(result, "loss"), -1e300);
}

}  // namespace
}  // namespace attend::train
