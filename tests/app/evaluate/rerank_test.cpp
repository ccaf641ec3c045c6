#include "app/evaluate/rerank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using attend::test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Two sentences with three hypotheses each. The second hypotheses are best. The score ranks them
/// wrongly, the feature "good" correctly.
class Rerank : public testing::Test {
 protected:
  RerankLists lists() const { return read_rerank_lists(n_best_, {{"good", good_}}); }

  TempDir dir_;
  std::filesystem::path n_best_ = dir_.write("n",
                                             "0 ||| the cat sat ||| -0.1\n"
                                             "0 ||| the cat sits on the mat ||| -0.2\n"
                                             "0 ||| a dog ||| -0.3\n"
                                             "1 ||| he goes ||| -0.1\n"
                                             "1 ||| he went home again ||| -0.3\n"
                                             "1 ||| he went ||| -0.2\n");
  std::filesystem::path good_ = dir_.write("good", "-9\n-1\n-5\n-4\n-1\n-2\n");
  std::filesystem::path references_ =
      dir_.write("reference", "the cat sits on the mat\nhe went home again\n");
};

TEST_F(Rerank, HasTheScoreTheNumberOfWordsAndTheFilesAsFeatures) {
  EXPECT_THAT(lists().names, ElementsAre("score", "words", "good"));
  EXPECT_THAT(lists().lists[0][1].features, ElementsAre(-0.2, 6.0, -1.0));
  EXPECT_THAT(lists().lists[1][2].features, ElementsAre(-0.2, 2.0, -2.0));
}

// By hand: 10 * score + good is -10, -3, -8 and -5, -4, -4; ties go to the first.
TEST_F(Rerank, TakesTheHighestWeightedSum) {
  const auto chosen = choose_by_weights(lists(), {{"score", 10}, {"good", 1}}, "w");
  EXPECT_THAT(chosen, ElementsAre("the cat sits on the mat", "he went home again"));
  EXPECT_THAT(choose_by_weights(lists(), {{"score", 1}, {"good", 0}}, "w"),
              ElementsAre("the cat sat", "he goes"));
  EXPECT_THAT(choose_by_weights(lists(), {{"score", 0}, {"good", 0}, {"words", -1}}, "w"),
              ElementsAre("a dog", "he goes"));
}

TEST_F(Rerank, FindsWeightsThatChooseTheReferences) {
  for (const std::string& metric : rerank_metric_names()) {
    const RerankTuning tuning = tune_rerank(lists(), references_, {.name = metric});
    EXPECT_NEAR(tuning.tuned, 100.0, 1e-9);
    EXPECT_NEAR(tuning.oracle, 100.0, 1e-9);
    EXPECT_LT(tuning.first, 60.0);
    const auto file = dir_.write("w.json", weights_json(tuning));
    EXPECT_THAT(choose_by_weights(lists(), read_weights(file), file),
                ElementsAre("the cat sits on the mat", "he went home again"));
  }
}

TEST_F(Rerank, WithReferencesTakesTheBestBySentence) {
  EXPECT_THAT(choose_by_reference(lists(), references_, {}),
              ElementsAre("the cat sits on the mat", "he went home again"));
}

// In both texts BLEU finds one correct word of two; chrF also counts the letters of "teh".
TEST_F(Rerank, WithReferencesUsesTheGivenMetric) {
  const auto lists =
      read_rerank_lists(dir_.write("m", "0 ||| the cow ||| -1\n0 ||| teh houses ||| -2\n"), {});
  const auto reference = dir_.write("r", "the houses\n");
  EXPECT_THAT(choose_by_reference(lists, reference, {.name = "bleu"}), ElementsAre("the cow"));
  EXPECT_THAT(choose_by_reference(lists, reference, {.name = "chrf"}), ElementsAre("teh houses"));
}

TEST_F(Rerank, IgnoresCaseOnRequest) {
  const auto lists =
      read_rerank_lists(dir_.write("m", "0 ||| a cow ||| -1\n0 ||| the houses ||| -2\n"), {});
  const auto reference = dir_.write("r", "The Houses\n");
  EXPECT_THAT(choose_by_reference(lists, reference, {}), ElementsAre("a cow"));
  EXPECT_THAT(choose_by_reference(lists, reference, {.lowercase = true}),
              ElementsAre("the houses"));
}

TEST_F(Rerank, RefusesReferencesOfAnotherNumber) {
  EXPECT_THAT([&] { (void)choose_by_reference(lists(), dir_.write("r", "a\n"), {}); },
              ThrowsMessage<DataError>(HasSubstr("lists for 2 input lines, but")));
}

TEST_F(Rerank, RefusesWeightsOfOtherFeatures) {
  EXPECT_THAT(
      [&] {
        (void)choose_by_weights(lists(), {{"score", 1}}, "w.json");
      },
      ThrowsMessage<DataError>(HasSubstr("w.json: has no weight for the feature \"good\"")));
  const FeatureWeights more = {{"score", 1}, {"good", 1}, {"r2l", 1}};
  EXPECT_THAT([&] { (void)choose_by_weights(lists(), more, "w.json"); },
              ThrowsMessage<DataError>(HasSubstr("give feature r2l=FILE")));
  EXPECT_THAT(
      [&] {
        (void)read_rerank_lists(n_best_, {{"words", good_}});
      },
      ThrowsMessage<UsageError>(HasSubstr("a feature of this name already exists")));
}

TEST_F(Rerank, RefusesAFileWithoutWeights) {
  for (const char* text : {"", "[]", "{\"score\": 1}", "{\"weights\": {\"score\": \"1\"}}",
                           "{\"weights\": [1]}", "{\"weights\": {\"score\": 1e999}}"}) {
    EXPECT_THAT([&] { (void)read_weights(dir_.write("w", text)); },
                ThrowsMessage<DataError>(HasSubstr("is not a weights file")))
        << text;
  }
}

}  // namespace
}  // namespace attend::app
