// Search with a shortlist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "decode/scoring/candidates.h"
#include "decode/scoring/shortlist.h"
#include "decode/search/search.h"
#include "decode/step/ensemble.h"
#include "decode/step/seq2seq_step_model.h"
#include "tests/decode/small_transformer.h"
#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using test::Tokens;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::AnyOfArray;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Ne;
using ::testing::SizeIs;

constexpr int64_t kWords = 13;  // target vocabulary

SearchOptions shortlisted(std::shared_ptr<const Shortlist> shortlist) {
  SearchOptions options;
  options.decoding.beam = 4;
  options.decoding.max_length_ratio = 0.0;
  options.n_best = 3;
  options.shortlist = std::move(shortlist);
  return options;
}

/// Selects words by the first token of a source, which test::make_sources() counts from 10.
std::shared_ptr<const Shortlist> some_words() {
  std::vector<Tokens> rows(10);
  rows.insert(rows.end(), {{4, 5}, {6, 9, 12}, {7}, {4, 11}});
  return std::make_shared<Shortlist>(kWords, Tokens{8}, rows);
}

std::shared_ptr<const Shortlist> all_words() {
  Tokens all(kWords);
  std::iota(all.begin(), all.end(), 0);
  return std::make_shared<Shortlist>(kWords, all, std::vector<Tokens>());
}

/// The table of a model whose vocabulary is the shortlist.
test::Table restricted(const test::Table& table, const Shortlist& shortlist) {
  test::Table result = table;
  result.probabilities = [table, &shortlist](const Tokens& source, const Tokens& so_far) {
    const auto whole = table.probabilities(source, so_far);
    std::vector<double> own(whole.size(), 0.0);
    double sum = 0.0;
    for (const auto token : shortlist.candidates(source, {})) {
      own[static_cast<std::size_t>(token)] = whole[static_cast<std::size_t>(token)];
      sum += whole[static_cast<std::size_t>(token)];
    }
    for (double& share : own) share /= sum;
    return own;
  };
  return result;
}

void expect_same(const std::vector<NBest>& found, const std::vector<NBest>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t s = 0; s < found.size(); ++s) {
    ASSERT_EQ(found[s].size(), expected[s].size()) << "sentence " << s;
    for (std::size_t i = 0; i < found[s].size(); ++i) {
      EXPECT_EQ(found[s][i].tokens, expected[s][i].tokens) << "sentence " << s << ", rank " << i;
      EXPECT_NEAR(found[s][i].score, expected[s][i].score, tolerance);
      EXPECT_EQ(found[s][i].finished, expected[s][i].finished);
    }
  }
}

TEST(ShortlistSearch, IsThatOfAModelThatKnowsNoOtherWords) {
  const test::TableModel model(test::scrambled_table(kWords, 4));
  const auto shortlist = some_words();
  const test::TableModel known(restricted(model.table(), *shortlist));
  const auto input = test::sentences_of(test::make_sources({5, 2, 7, 3}));

  expect_same(search(model, input, shortlisted(shortlist)),
              search(known, input, shortlisted(nullptr)), 1e-5);
}

TEST(ShortlistSearch, RepeatsNothingThatMustNot) {
  const test::TableModel model(test::scrambled_table(kWords, 4));
  const auto shortlist = some_words();
  const test::TableModel known(restricted(model.table(), *shortlist));
  const auto input = test::sentences_of(test::make_sources({5, 2, 7, 3}));
  SearchOptions options = shortlisted(shortlist), unlimited = shortlisted(nullptr);
  options.decoding.no_repeat_ngram_size = unlimited.decoding.no_repeat_ngram_size = 1;

  expect_same(search(model, input, options), search(known, input, unlimited), 1e-5);
}

TEST(ShortlistSearch, NeverTakesWhatIsBehindAShorterListThanTheBeam) {
  constexpr int64_t kMany = 100;
  const test::TableModel model(test::scrambled_table(kMany, 4));
  std::vector<Tokens> rows(10);
  rows.insert(rows.end(), {{4, 5}, {}});  // for two sentences
  rows.back().resize(90);
  std::iota(rows.back().begin(), rows.back().end(), 6);
  const auto shortlist = std::make_shared<Shortlist>(kMany, Tokens{8}, rows);
  const test::TableModel known(restricted(model.table(), *shortlist));
  const auto input = test::sentences_of(test::make_sources({2, 3}));
  SearchOptions options = shortlisted(shortlist), unlimited = shortlisted(nullptr);
  options.decoding.beam = unlimited.decoding.beam = 80;  // wide enough for LibTorch's selection

  expect_same(search(model, input, options), search(known, input, unlimited), 1e-5);
}

TEST(ShortlistSearch, AveragesTheSharesOfTheShortlistInAnEnsemble) {
  const test::TableModel a(test::scrambled_table(kWords, 4)), b(test::scrambled_table(kWords, 8));
  const auto shortlist = some_words();
  const test::TableModel known_a(restricted(a.table(), *shortlist)),
      known_b(restricted(b.table(), *shortlist));
  const auto input = test::twice(test::sentences_of(test::make_sources({5, 2, 7, 3})));

  expect_same(search(Ensemble({{&a}, {&b}}), input, shortlisted(shortlist)),
              search(Ensemble({{&known_a}, {&known_b}}), input, shortlisted(nullptr)), 1e-5);
}

TEST(ShortlistSearch, KeepsWordsOfThePrefix) {
  const test::TableModel model(test::scrambled_table(kWords, 4));
  auto input = test::sentences_of(test::make_sources({5, 2}));
  input[0].prefix = {12, 8};
  const auto found = search(model, input, shortlisted(some_words()));

  for (const Hypothesis& hypothesis : found[0]) {
    ASSERT_GE(hypothesis.tokens.size(), 2U);
    EXPECT_EQ(Tokens(hypothesis.tokens.begin(), hypothesis.tokens.begin() + 2), (Tokens{12, 8}));
  }
}

TEST(ShortlistSearch, DrawsWordsOfTheShortlistAlone) {
  const test::TableModel model(test::scrambled_table(kWords, 4));
  auto options = shortlisted(some_words());
  options.sampling = SamplingOptions{};
  options.n_best = 50;
  const auto sources = test::make_sources({5, 2, 7});
  const auto found = search(model, test::sentences_of(sources), options);

  for (std::size_t s = 0; s < sources.size(); ++s) {
    ASSERT_THAT(found[s], SizeIs(50));
    for (const Hypothesis& draw : found[s])
      EXPECT_THAT(draw.tokens, Each(AnyOfArray(options.shortlist->candidates(sources[s], {}))));
  }
}

/// Forbids a token in the row of the whole vocabulary.
class ForbidsOne final : public OutputConstraint {
 public:
  explicit ForbidsOne(text::TokenId token) : token_(token) {}
  void forbid(std::span<const text::TokenId>, torch::Tensor row) const override {
    ASSERT_EQ(row.size(0), kWords);
    row[token_].fill_(-std::numeric_limits<double>::infinity());
  }

 private:
  text::TokenId token_;
};

// The second sentence's list is 6 9 12 and the pieces of every sentence.
TEST(ShortlistSearch, ShowsAConstraintTheWholeVocabulary) {
  const test::TableModel model(test::scrambled_table(kWords, 4));
  auto input = test::sentences_of(test::make_sources({5, 2}));
  const Tokens free = search(model, input, shortlisted(some_words()))[1].front().tokens;
  ASSERT_THAT(free, Contains(AnyOf(6, 9, 12)));
  const text::TokenId token =
      *std::ranges::find_if(free, [](text::TokenId id) { return id == 6 || id == 9 || id == 12; });
  input[1].constraint = std::make_shared<ForbidsOne>(token);

  const auto found = search(model, input, shortlisted(some_words()))[1];

  ASSERT_FALSE(found.empty());
  for (const Hypothesis& hypothesis : found)
    EXPECT_THAT(hypothesis.tokens, Each(AllOf(AnyOf(6, 8, 9, 12), Ne(token))));
}

std::unique_ptr<model::Seq2Seq> network(model::Tie tie, uint64_t seed = 5) {
  model::ModelOptions options;
  options.embedding = 6;
  options.tie = tie;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 4;
  std::get<model::RecurrentDecoderOptions>(options.decoder).hidden = 8;
  auto model = std::make_unique<model::Seq2Seq>(options, 20, kWords);
  model::initialize(*model, seed);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.mul_(8.0);
  model->eval();
  return model;
}

struct Way {
  const char* name;
  StepExecution execution;
};

std::ostream& operator<<(std::ostream& stream, const Way& way) {
  return stream << way.name;
}

/// A network with each kind of execution.
class ShortlistOfANetwork : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (!kernels::has_packed(GetParam().execution.weights)) GTEST_SKIP() << "not with this CPU";
  }

  std::unique_ptr<model::Seq2Seq> network_ = network(model::Tie::none),
                                  other_ = network(model::Tie::decoder, 6);
  std::unique_ptr<model::Seq2Seq> transformer_ = test::small_transformer(kWords);
  std::vector<Tokens> sources_ = test::make_sources({3, 7, 1, 5});
};

// Needs the tolerance, because sums are computed in another order than with a packed matrix.
TEST_P(ShortlistOfANetwork, OfTheWholeVocabularyChangesNothing) {
  const Seq2SeqStepModel model(*network_, GetParam().execution);
  const auto input = test::sentences_of(sources_);

  expect_same(search(model, input, shortlisted(all_words())),
              search(model, input, shortlisted(nullptr)), 1e-4);
}

TEST_P(ShortlistOfANetwork, ScoresItsWordsAsTheWholeVocabularyDoesAndNoOthers) {
  const Seq2SeqStepModel model(*network_, GetParam().execution);
  const std::vector sources = {data::pad(sources_)};
  const torch::Tensor words = torch::full({4}, int64_t{text::kBos});
  const torch::Tensor whole = model.start(sources)->step(words).logits;
  CandidateLists own;
  for (const Tokens& source : sources_) own.push_back(some_words()->candidates(source, {}));
  const Candidates candidates = join_candidates(own);
  const auto session = model.start(sources);
  session->score_only(candidates);
  const torch::Tensor found = session->step(words).logits;

  ASSERT_LT(candidates.ids.size(0), kWords);
  for (std::size_t s = 0; s < own.size(); ++s) {
    const torch::Tensor row = found[static_cast<int64_t>(s)], list = torch::tensor(own[s]);
    const torch::Tensor expected = whole[static_cast<int64_t>(s)].index_select(0, list);
    EXPECT_TRUE(torch::allclose(row.narrow(0, 0, list.size(0)), expected, 1e-5, 1e-6));
    EXPECT_TRUE(
        row.narrow(0, list.size(0), row.size(0) - list.size(0)).isneginf().all().item<bool>());
  }
}

TEST_P(ShortlistOfANetwork, FindsTheSameInABatchAsOneByOne) {
  for (const auto* network : {network_.get(), transformer_.get()}) {
    const Seq2SeqStepModel model(*network, GetParam().execution);
    const auto together = search(model, test::sentences_of(sources_), shortlisted(some_words()));
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      expect_same(search(model, test::sentences_of({sources_[s]}), shortlisted(some_words())),
                  {together[s]}, 1e-4);
      for (const Hypothesis& hypothesis : together[s])
        EXPECT_THAT(hypothesis.tokens, Each(AnyOfArray(some_words()->candidates(sources_[s], {}))));
    }
  }
}

TEST_P(ShortlistOfANetwork, FindsTheSameInABatchAsOneByOneWithAnEnsemble) {
  const Seq2SeqStepModel a(*network_, GetParam().execution), b(*other_, GetParam().execution);
  const Ensemble both({{&a}, {&b}});
  const auto together =
      search(both, test::twice(test::sentences_of(sources_)), shortlisted(some_words()));
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    expect_same(
        search(both, test::twice(test::sentences_of({sources_[s]})), shortlisted(some_words())),
        {together[s]}, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ShortlistOfANetwork,
                         ::testing::Values(Way{"f32", {}},
                                           Way{"bf16", {true, kernels::WeightType::bf16}},
                                           Way{"int8", {true, kernels::WeightType::int8}},
                                           Way{"plain", {false, kernels::WeightType::f32}}));

}  // namespace
}  // namespace attend::decode
