#include "nn/attention/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/print.h"
#include "core/error.h"
#include "nn/attention/registry.h"
#include "tests/support/temp_dir.h"

namespace attend::nn {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

AttentionOptions load(const std::string& yaml) {
  const test::TempDir folder;
  return config::load<AttentionOptions>(folder.write("attention.yaml", yaml));
}

TEST(AttentionOptions, AreReadByName) {
  const auto options = load("{score: concat, size: 7, temperature: 0.5}");
  EXPECT_EQ(options.score, ScoreKind::concat);
  EXPECT_EQ(options.size, 7);
  EXPECT_EQ(options.temperature, 0.5);
}

TEST(AttentionOptions, SuggestTheNearestScore) {
  EXPECT_THAT([] { static_cast<void>(load("score: genral")); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean \"general\"?")));
}

TEST(AttentionOptions, AskLocationForItsMaximum) {
  EXPECT_THAT(
      [] { static_cast<void>(load("score: location")); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("location has one weight row per source position"),
                                       HasSubstr("set max_source_length"))));
  EXPECT_EQ(load("{score: location, max_source_length: 9}").max_source_length, 9);
}

TEST(AttentionOptions, RefuseATemperatureThatIsNotPositive) {
  EXPECT_THAT(
      [] { static_cast<void>(load("temperature: 0")); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("temperature"), HasSubstr("0.0001 to 10000"))));
}

/// Expects that `yaml` is refused with all of `parts` in the message.
void expect_refused(const std::string& yaml, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_THAT([&] { static_cast<void>(load(yaml)); }, ThrowsMessage<ConfigError>(HasSubstr(part)))
        << yaml;
  }
}

TEST(AttentionOptions, GiveEachFeatureAWeightOnlyWhereTheScoreHasAVector) {
  expect_refused("{score: dot, per_feature: true}",
                 {"per_feature turns the score's vector w into a matrix, but dot has no w",
                  "choose one of additive, concat"});
  expect_refused("{score: kernel, per_feature: true}", {"kernel has no w"});
  EXPECT_TRUE(load("{score: coverage, per_feature: true}").per_feature);
}

TEST(AttentionOptions, DrawNoPositionForEachFeature) {
  expect_refused("{distribution: hard, per_feature: true}", {"hard draws one position"});
}

TEST(AttentionOptions, WantFiltersWithAMiddle) {
  for (const char* score : {"convolution", "location_aware"}) {
    expect_refused(std::string("{width: 4, score: ") + score + "}",
                   {"a filter of 4 positions has no middle one"});
  }
}

TEST(AttentionOptions, KeepVariantsToTheirBlocks) {
  expect_refused("{score: dot, normalized: true}",
                 {"normalized is a variant of additive, not of dot"});
  expect_refused("{score: dot, learned_scale: true}", {"learned_scale is a variant of scaled_dot"});
  expect_refused("{score: dot, fertility: 2}", {"fertility is a variant of coverage"});
  expect_refused("{sum_to_one: true}", {"sum_to_one is a variant of sigmoid; softmax sums to 1"});
}

// Regression: each of these keys was accepted and ignored.
TEST(AttentionOptions, RefuseKeysThatTheChosenBlocksDoNotRead) {
  const auto of = [](const char* key, const char* axis, const char* readers) {
    return std::vector<std::string>{
        fmt::format("{} is a setting of {} {} and would have no effect", key, axis, readers),
        fmt::format("{}: ", key)};
  };
  for (const char* distribution : {"sparsemax", "entmax15", "sigmoid"}) {
    expect_refused(fmt::format("{{temperature: 0.5, distribution: {}}}", distribution),
                   of("temperature", "distribution", "softmax or hard"));
  }
  expect_refused("max_source_length: 9", of("max_source_length", "score", "location"));
  expect_refused("layers: 3", of("layers", "score", "deep"));
  expect_refused("width: 5", of("width", "score", "convolution or location_aware"));
  expect_refused("{filters: 4, score: convolution}", of("filters", "score", "location_aware"));
  for (const char* setting : {"estimator: gumbel", "reward_weight: 2.0", "entropy_bonus: 0.5",
                              "baseline: false", "baseline_decay: 0.5"}) {
    const std::string key(setting, std::string(setting).find(':'));
    expect_refused(setting, of(key.c_str(), "distribution", "hard"));
    if (key == "estimator") continue;
    expect_refused(fmt::format("{{distribution: hard, estimator: gumbel, {}}}", setting),
                   of(key.c_str(), "estimator", "reinforce"));
  }
  expect_refused("{distribution: hard, baseline: false, baseline_decay: 0.5}",
                 {"has no effect with baseline: false"});
  for (const char* scope : {"global", "position_bias"}) {
    expect_refused(fmt::format("{{window: 3, scope: {}}}", scope),
                   of("window", "scope", "local_m or local_p"));
  }
  expect_refused("{max_distance: 3, scope: local_m}", of("max_distance", "scope", "position_bias"));
}

TEST(AttentionOptions, TakeKeysWithTheBlocksThatReadThem) {
  for (const char* yaml :
       {"{temperature: 0.5, distribution: hard}", "{score: deep, layers: 3}",
        "{score: convolution, width: 5}", "{score: location_aware, width: 5, filters: 4}",
        "{distribution: hard, estimator: gumbel}",
        "{distribution: hard, reward_weight: 2, entropy_bonus: 0.5, baseline_decay: 0.5}",
        "{distribution: hard, baseline: false}", "{scope: local_m, window: 3}",
        "{scope: local_p, window: 3}", "{scope: position_bias, max_distance: 3}",
        // A key with its default value is accepted: the resolved config in a model folder has all
        // keys.
        "{score: dot, layers: 2, width: 3, filters: 8, window: 10, temperature: 1.0}"}) {
    EXPECT_NO_THROW(static_cast<void>(load(yaml))) << yaml;
  }
}

// A model that was trained with a key without an effect still loads.
TEST(AttentionOptions, OfATrainedModelMayHaveKeysWithoutAnEffect) {
  const test::TempDir folder;
  const auto file = folder.write("attention.yaml", "{temperature: 0.5, distribution: sparsemax}");
  EXPECT_EQ(config::load_trained<AttentionOptions>(file).temperature, 0.5);
}

// has_inner_size() lists these scores by name, so it could miss a new one.
TEST(AttentionOptions, KnowTheScoresWithAnInnerSize) {
  for (const ScoreKind score : enum_values<ScoreKind>()) {
    AttentionOptions options;
    options.score = score;
    options.max_source_length = 9;
    const auto sizes = [&](int64_t size) {
      options.size = size;
      std::vector<std::vector<int64_t>> all;
      for (const torch::Tensor& parameter : make_score(options, {6, 6})->parameters()) {
        all.push_back(parameter.sizes().vec());
      }
      return all;
    };
    EXPECT_EQ(reads_size(options), sizes(4) != sizes(5)) << enum_name(score);
  }
  AttentionOptions predicted;
  predicted.score = ScoreKind::dot;
  predicted.scope = ScopeKind::local_p;
  EXPECT_TRUE(reads_size(predicted));
}

// Regression: a size of 2^62 gave "internal error: Storage size calculation overflowed".
TEST(AttentionOptions, RefuseSizesThatNoMemoryHolds) {
  for (const char* key : {"size", "max_source_length", "heads", "layers", "width", "filters",
                          "window", "max_distance"}) {
    expect_refused(std::string(key) + ": 4611686018427387904", {key, "4611686018427387904"});
  }
}

// Regression: in float32 a temperature of 1e-60 is 0 and a fertility of 1e300 is infinite, so
// training began and ended with a loss that was not finite.
TEST(AttentionOptions, RefuseNumbersThatFloatsDoNotHold) {
  for (const char* value : {"1e-60", "1e-320", "1e39", "1e300"}) {
    expect_refused(std::string("temperature: ") + value, {"temperature"});
  }
  for (const char* key : {"reward_weight", "entropy_bonus"}) {
    expect_refused(std::string(key) + ": 1e39", {key});
  }
  expect_refused("{score: coverage, fertility: 1e300}", {"fertility"});
}

// Regression: all fertilities had the smallest value, whatever the weights.
TEST(AttentionOptions, RefuseAFertilityThatCannotBeLearned) {
  expect_refused("{score: coverage, fertility: 0.001}", {"learned fertilities are at least 0.001"});
  EXPECT_EQ(load("{score: coverage, fertility: 0.5}").fertility, 0.5);
}

TEST(AttentionOptions, ExplainEveryNameInTheReference) {
  const std::string reference = config::reference(AttentionOptions());
  for (const auto& names :
       {enum_names<ScoreKind>(), enum_names<DistributionKind>(), enum_names<ScopeKind>()}) {
    for (const std::string& name : names) {
      EXPECT_THAT(reference, HasSubstr("#   " + name + ": ")) << name;
    }
  }
}

}  // namespace
}  // namespace attend::nn
