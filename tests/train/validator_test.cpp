#include "train/validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <variant>

#include "core/error.h"
#include "data/batching.h"
#include "data/dev_set.h"
#include "decode/forced/forced.h"
#include "tests/data/toy_corpus.h"
#include "tests/distributed/in_threads.h"
#include "tests/support/temp_dir.h"

namespace attend::train {
namespace {

using test::TempDir;

/// Six lines over the words a .. j, and an untrained model.
struct DevText {
  explicit DevText(const std::string& sources = "a b c\nd\na a a a a\nb c\n\nj i h g\n",
                   const std::string& targets = "c b a\nd d\na\nc b\n\ng h i j\n")
      : tokenizer(test::word_tokenizer(folder)),
        text(data::read_dev_set(test::write_pairs(folder, "dev", sources, targets), 50,
                                {tokenizer, tokenizer})) {
    model::ModelOptions model_options;
    model_options.embedding = 6;
    std::get<model::RecurrentEncoderOptions>(model_options.encoder).hidden = 5;
    std::get<model::RecurrentDecoderOptions>(model_options.decoder).hidden = 7;
    model_options.dropout.output = 0.5;
    model = std::make_shared<model::Seq2Seq>(model_options, tokenizer.size(), tokenizer.size());
    model::initialize(*model, 3);
    decoding.batch_size = 4;
  }
  ValidationResult validate(distributed::Communicator* peers = nullptr) {
    DevSetValidator validator(
        text, {tokenizer, tokenizer}, options, decoding, [this] { before_batch(++batches); },
        peers);
    return validator.validate(*model);
  }

  TempDir folder;
  text::Tokenizer tokenizer;
  data::DevSet text;
  std::shared_ptr<model::Seq2Seq> model;
  ValidationOptions options = {.tokenize = BleuTokenizer::v13a};
  decode::DecodingOptions decoding;
  int batches = 0;
  std::function<void(int batch)> before_batch = [](int) {};
};

/// 200 lines of 0 to 9 words: many batches.
struct LongDevText : DevText {
  LongDevText() : DevText(lines(7), lines(3)) {
    options.samples = 5;
    decoding.batch_size = 16;
  }
  static std::string lines(int factor) {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      for (int word = 0; word < i * factor % 10; ++word)
        text += std::string(word == 0 ? "" : " ") + static_cast<char>('a' + (i + word) % 10);
      text += "\n";
    }
    return text;
  }
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
  const std::vector<std::string>& source = setup.text.sources.front();
  for (const Sample& sample : hypotheses) {
    const auto line = std::find(source.begin(), source.end(), sample.source);
    ASSERT_NE(line, source.end());
    setup.text.reference[static_cast<std::size_t>(line - source.begin())] = sample.hypothesis;
  }
  EXPECT_NEAR(setup.validate().bleu.value(), 100.0, 1e-9);
}

/// Lines whose translations are the references, and which the model reads as "a".
class ReferenceLines final : public ProtectedLines {
 public:
  explicit ReferenceLines(const DevText& setup)
      : references_(setup.text.reference), source_(setup.tokenizer.encode("a")) {}
  [[nodiscard]] const std::vector<text::TokenId>& source(std::size_t) const override {
    return source_;
  }
  [[nodiscard]] std::string text(std::size_t line, std::span<const text::TokenId>) const override {
    return references_.at(line);
  }

 private:
  std::vector<std::string> references_;
  std::vector<text::TokenId> source_;
};

// Symptom: BLEU was that of lines with placeholders.
TEST(DevSetValidator, ScoresTheTextThatAUserOfProtectedLinesGets) {
  DevText setup;
  setup.options.samples = 6;
  DevSetValidator validator(
      setup.text, {setup.tokenizer, setup.tokenizer}, setup.options, setup.decoding, [] {}, nullptr,
      std::make_unique<ReferenceLines>(setup));
  const ValidationResult result = validator.validate(*setup.model);
  EXPECT_NEAR(result.bleu.value(), 100.0, 1e-9);
  for (const Sample& sample : result.samples) {
    EXPECT_EQ(sample.hypothesis, sample.reference);
    EXPECT_THAT(sample.source_pieces, testing::SizeIs(2));
  }
  EXPECT_EQ(result.loss, setup.validate().loss) << "as in training";
}

// `translate` and `eval` leave an empty line empty. Regression: validation translated it with the
// model.
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

void expect_same(const ValidationResult& a, const ValidationResult& b) {
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.bleu, b.bleu);
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_EQ(a.samples[i].source, b.samples[i].source);
    EXPECT_EQ(a.samples[i].hypothesis, b.samples[i].hypothesis);
    EXPECT_EQ(a.samples[i].source_pieces, b.samples[i].source_pieces);
    EXPECT_EQ(a.samples[i].target_pieces, b.samples[i].target_pieces);
    ASSERT_EQ(a.samples[i].attention.defined(), b.samples[i].attention.defined());
    if (a.samples[i].attention.defined()) {
      EXPECT_TRUE(torch::equal(a.samples[i].attention, b.samples[i].attention));
    }
  }
}

TEST(DevSetValidator, FindsTheSameBitsWithSeveralProcesses) {
  LongDevText alone;
  const ValidationResult expected = alone.validate();
  EXPECT_GT(expected.bleu.value(), 0.0);
  for (const int64_t processes : {2, 3}) {
    ValidationResult result;
    std::vector<int> batches(static_cast<std::size_t>(processes));
    test::run_in_group(processes, [&](distributed::Group& group) {
      LongDevText setup;
      const ValidationResult found = setup.validate(&group);
      batches[static_cast<std::size_t>(group.rank())] = setup.batches;
      if (group.leads()) result = found;
    });
    expect_same(result, expected);
    EXPECT_EQ(std::accumulate(batches.begin(), batches.end(), 0), alone.batches);
    EXPECT_LE(*std::max_element(batches.begin(), batches.end()), alone.batches / processes + 2);
  }
}

// The loss is computed in one batch. The sources have 5, 4, 3, 2 and 1 words and an end symbol
// each: batches of 12 tokens hold two of 6, then three of 4; batches of 11 hold one of 6, then two
// of 5, then two of 3.
TEST(DevSetValidator, TranslatesInBatchesOfTokens) {
  DevText setup;
  setup.options.samples = 6;
  const ValidationResult together = setup.validate();
  setup.decoding.batch_unit = data::BatchUnit::tokens;
  for (const auto& [size, batches] : {std::pair{12, 2}, {11, 3}, {1, 5}}) {
    setup.decoding.batch_size = size;
    setup.batches = 0;
    const ValidationResult found = setup.validate();
    EXPECT_EQ(found.bleu, together.bleu);
    ASSERT_EQ(found.samples.size(), together.samples.size());
    for (std::size_t i = 0; i < found.samples.size(); ++i)
      EXPECT_EQ(found.samples[i].hypothesis, together.samples[i].hypothesis);
    EXPECT_EQ(setup.batches, batches + 1) << size << " tokens";
  }
}

TEST(DevSetValidator, StopsEverywhereWhenOneProcessIsStopped) {
  bool stopped = false;
  bool returned = false;
  test::run_in_group(2, [&](distributed::Group& group) {
    LongDevText setup;
    if (group.rank() == 1)
      setup.before_batch = [](int batch) {
        if (batch == 2) throw Stopped(15, "stopped");
      };
    try {
      static_cast<void>(setup.validate(&group));
      returned = group.rank() == 1;
    } catch (const Stopped&) {
      stopped = group.leads();
    }
    group.part();
  });
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(returned);
}

TEST(ScoreOf, IsBleuOrTheNegatedLoss) {
  ValidationResult result;
  result.loss = 1.5;
  result.bleu = 30.0;
  EXPECT_EQ(score_of(result, ValidationMetric::bleu), 30.0);
  EXPECT_EQ(score_of(result, ValidationMetric::loss), -1.5);
}

TEST(ScoreOf, IsTheLeastWhereTheLossIsNotFinite) {
  ValidationResult result;
  result.loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_LT(score_of(result, ValidationMetric::loss), -1e300);
}

}  // namespace
}  // namespace attend::train
