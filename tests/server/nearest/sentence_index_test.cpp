#include "server/nearest/sentence_index.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/run/kept_text.h"
#include "core/error.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/tested_device.h"

namespace attend::server {
namespace {

using testing::ElementsAre;

// Products with (1, 0): .6, .8, -1, .8.
TEST(VectorRows, FindsTheLargestProductsWithTiesInRowOrder) {
  VectorRows rows(2);
  for (const std::vector<float>& row :
       std::vector<std::vector<float>>{{.6F, .8F}, {.8F, .6F}, {-1.0F, 0.0F}, {.8F, .6F}})
    rows.add(row);
  EXPECT_THAT(rows.closest(std::vector{1.0F, 0.0F}, 3), ElementsAre(1, 3, 0));
  EXPECT_THAT(rows.closest(std::vector{-1.0F, 0.0F}, 9), ElementsAre(2, 0, 1, 3));
}

class SentenceIndexTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_.emplace();
    models_ = app::load_models({cli::test::train_tiny_model(*dir_, "model", {}).string()},
                               attend::test::tested_device());
  }
  static void TearDownTestSuite() {
    models_.clear();
    dir_.reset();
  }

  /// The mean state of a single sentence, computed with loops in double.
  static std::vector<double> mean_state(const std::vector<text::TokenId>& sentence) {
    const torch::NoGradGuard no_gradients;
    const auto batch = data::frame_sources({sentence}).to(attend::test::tested_device());
    const torch::Tensor states = models_[0].model->encode(batch).memories.front().memory.keys;
    std::vector<double> mean(static_cast<std::size_t>(states.size(2)));
    for (int64_t s = 0; s < states.size(1); ++s) {
      for (std::size_t c = 0; c < mean.size(); ++c)
        mean[c] += states[0][s][static_cast<int64_t>(c)].item<double>();
    }
    return mean;
  }
  static double cosine(const std::vector<double>& a, const std::vector<double>& b) {
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ab += a[i] * b[i];
      aa += a[i] * a[i];
      bb += b[i] * b[i];
    }
    return ab / std::sqrt(aa * bb);
  }
  static std::vector<app::LoadedModel> models_;

 private:
  static std::optional<attend::test::TempDir> dir_;
};

std::vector<app::LoadedModel> SentenceIndexTest::models_;
std::optional<attend::test::TempDir> SentenceIndexTest::dir_;

TEST_F(SentenceIndexTest, RanksLikeExhaustiveComparison) {
  data::ParallelCorpus corpus(models_[0].source->size());
  std::vector<std::vector<text::TokenId>> sentences;
  const auto first = static_cast<text::TokenId>(text::kSpecialSymbols);
  const auto words = static_cast<text::TokenId>(models_[0].source->size()) - first;
  for (int i = 0; i < 500; ++i) {  // 1 to 7 words, each different from the previous
    auto& sentence = sentences.emplace_back();
    for (int k = 0; k <= i % 7; ++k)
      sentence.push_back(first + static_cast<text::TokenId>((i * 31 + k * (i % 13 + 1)) % words));
    corpus.add(sentence, sentence, i + 1);
  }
  const auto index =
      SentenceIndex::build(models_[0], std::move(corpus), [](int64_t, int64_t) { return true; });
  ASSERT_TRUE(index);
  EXPECT_EQ(index->size(), 500);
  for (const std::size_t asked : {3U, 77U, 498U}) {
    std::vector<double> all;
    for (const auto& sentence : sentences)
      all.push_back(cosine(mean_state(sentence), mean_state(sentences[asked])));
    std::vector<double> expected = all;
    std::ranges::sort(expected, std::greater<>());
    const auto found = index->nearest(data::frame_sources({sentences[asked]}), 10);
    ASSERT_EQ(found.size(), 10);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].similarity, expected[i], 1e-5) << asked << " " << i;
      EXPECT_NEAR(found[i].similarity, all[static_cast<std::size_t>(found[i].line) - 1], 1e-5);
    }
  }
}

TEST_F(SentenceIndexTest, RejectsSeveralSources) {
  data::ParallelCorpus corpus(models_[0].source->size(), data::chunks_in_memory(), 2);
  EXPECT_THAT(
      [&] {
        (void)SentenceIndex::build(models_[0], std::move(corpus),
                                   [](int64_t, int64_t) { return true; });
      },
      testing::ThrowsMessage<DataError>(testing::HasSubstr("this model reads several")));
}

// Symptom: the nearest sentences were those with marked terms (data.terms).
TEST_F(SentenceIndexTest, LeavesCopiesWithMarkedTermsOut) {
  data::ParallelCorpus corpus = app::load_kept_text(models_[0]);
  corpus.end_plain_at(corpus.line(4));
  const auto index =
      SentenceIndex::build(models_[0], std::move(corpus), [](int64_t, int64_t) { return true; });
  ASSERT_TRUE(index);
  EXPECT_EQ(index->size(), 5);
  EXPECT_EQ(index->total(), 5);
}

TEST_F(SentenceIndexTest, StopsOnRequest) {
  data::ParallelCorpus corpus = app::load_kept_text(models_[0]);
  EXPECT_EQ(corpus.size(), 12);
  EXPECT_FALSE(
      SentenceIndex::build(models_[0], std::move(corpus), [](int64_t, int64_t) { return false; }));
}

}  // namespace
}  // namespace attend::server
