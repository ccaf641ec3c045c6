// The experiment of a training run: defaults that depend on other keys, and what is refused.
#include "app/config/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using config::Purpose;
using nn::ScoreKind;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using train::ScheduleKind;

class SettledExperiment : public testing::Test {
 protected:
  static constexpr const char* kDev = "data.dev={source: d.en, target: d.de}";

  [[nodiscard]] Experiment load(const std::vector<std::string>& overrides,
                                Purpose purpose = Purpose::train) const {
    return config::load<Experiment>(file_, overrides, purpose).options;
  }
  void expect_refusal(const std::vector<std::string>& overrides, const std::string& key,
                      const std::string& other) const {
    EXPECT_THAT([&] { (void)load(overrides); },
                ThrowsMessage<ConfigError>(AllOf(HasSubstr(key), HasSubstr(other))))
        << overrides.front();
  }

  attend::test::TempDir dir_;
  std::filesystem::path file_ = dir_.write("c.yaml", "data: {train: {source: a, target: b}}\n");
};

TEST_F(SettledExperiment, RefusesWhatNothingLooksAtWithoutDevelopmentText) {
  for (const char* setting :
       {"training.patience=3", "training.schedule=plateau", "training.keep.last=2",
        "training.keep.best=2", "training.average.last=2", "training.average.best=2"}) {
    const std::string key(setting, std::string(setting).find('='));
    expect_refusal({setting}, key, "data.dev");
    EXPECT_NO_THROW((void)load({setting, kDev})) << setting;
  }
}

TEST_F(SettledExperiment, RefusesWhatNothingLooksAtBesideOtherSettings) {
  const std::string sgd = "training.optimizer=sgd", links = "training.guided_alignment.links=l";
  const std::string constant = "training.schedule=constant";
  /// `setting` has no effect together with `other`, but has one with `instead`. Empty: no second
  /// setting.
  struct Case {
    std::string setting;
    std::string other;
    std::string instead;
    std::string decides;
  };
  std::vector<Case> cases = {
      {"training.momentum=0.9", "", sgd, "training.optimizer"},
      {"training.momentum=0.9", "training.optimizer=adamw", sgd, "training.optimizer"},
      {"training.mrt={samples: 3, nll: 1}", "", "training.mrt.nll=0.9", "training.mrt.samples"}};
  for (const char* constants : {"beta1=0.5", "beta2=0.98", "epsilon=1e-9"})
    cases.push_back({std::string("training.adam.") + constants, sgd, "", "training.optimizer"});
  for (const char* decay : {"factor=0.7", "start_updates=9", "every_updates=9", "start_epochs=9",
                            "every_epochs=9", "patience=9", "minimum=1e-5"})
    cases.push_back({std::string("training.decay.") + decay, constant, "", "training.schedule"});
  for (const char* guided : {"weight=1", "loss=squared_error", "decay=0.9", "shift=1"}) {
    cases.push_back({std::string("training.guided_alignment.") + guided, "", links,
                     "training.guided_alignment.links"});
  }
  const auto settings = [](const std::string& setting, const std::string& other) {
    std::vector<std::string> all = {setting, kDev};
    if (!other.empty()) all.push_back(other);
    return all;
  };
  for (const Case& idle : cases) {
    const std::string key = idle.setting.substr(0, idle.setting.find('='));
    expect_refusal(settings(idle.setting, idle.other), key, idle.decides);
    EXPECT_NO_THROW((void)load(settings(idle.setting, idle.instead))) << idle.setting;
    EXPECT_NO_THROW((void)load(settings(idle.setting, idle.other), Purpose::use))
        << "a model that was trained with it must still load";
  }
}

// Resolved configs contain every key, so a default value must not count as set.
TEST_F(SettledExperiment, DefaultsCountAsNotSet) {
  EXPECT_NO_THROW((void)load({kDev, "training.momentum=0", "training.optimizer=sgd",
                              "training.adam={beta1: 0.9, beta2: 0.999, epsilon: 1e-8}",
                              "training.schedule=constant", "training.decay.factor=0.5",
                              "training.guided_alignment={links: null, weight: 0.05}"}));
}

TEST_F(SettledExperiment, SettlesDefaultsThatNeedDevelopmentText) {
  const auto without = load({}).training;
  EXPECT_EQ(without.schedule, ScheduleKind::constant);
  EXPECT_EQ(without.patience, 0);
  const auto with = load({kDev}).training;
  EXPECT_EQ(with.schedule, ScheduleKind::plateau);
  EXPECT_EQ(with.patience, 8);
}

// Regression: the other source was lost, and a model with one source was trained.
TEST_F(SettledExperiment, ReplacesOneSourceOfSeveralWhereThatIsSet) {
  const auto file =
      dir_.write("s.yaml", "data: {train: {source: {en: /a, es: /b}, target: /c}}\n").string();
  const auto sources = [&](const std::vector<std::string>& overrides) {
    return config::load<Experiment>(file, overrides).data.train.front().sources;
  };
  using Sources = std::vector<config::NamedPath>;
  EXPECT_EQ(sources({"data.train.source.es=/x"}), (Sources{{"en", "/a"}, {"es", "/x"}}));
  EXPECT_EQ(sources({"data.train.source.es=/x", "data.train.source.en=/y"}),
            (Sources{{"en", "/y"}, {"es", "/x"}}));
  EXPECT_EQ(sources({"data.train.source={es: /x, fr: /y}"}), (Sources{{"es", "/x"}, {"fr", "/y"}}));
}

TEST_F(SettledExperiment, RefusesTrainingThatOnlyPatienceCouldEndWhereThereIsNone) {
  expect_refusal({"training.max_epochs=0"}, "training.max_epochs", "never end");
  EXPECT_NO_THROW((void)load({"training.max_epochs=0", kDev}));
}

TEST_F(SettledExperiment, RefusesACycleWithoutEnd) {
  const std::string cycle = "training.schedule=one_cycle", patience = "training.patience=5";
  expect_refusal({cycle, patience, "training.max_epochs=0", kDev}, "training.schedule",
                 "max_minutes");
  EXPECT_NO_THROW((void)load({cycle, "training.max_epochs=0", "training.max_minutes=5"}));
  EXPECT_NO_THROW((void)load({cycle, "training.max_epochs=0", "training.max_updates=9"}));
  expect_refusal(
      {cycle, "training.max_epochs=0", "training.max_updates=9", "training.warmup_updates=9"},
      "training.schedule", "fewer warmup_updates");
  expect_refusal({cycle, "training.max_updates=9", "training.warmup_updates=9"},
                 "training.schedule", "fewer warmup_updates");
  EXPECT_NO_THROW((void)load({cycle}));
}

TEST_F(SettledExperiment, GivesTransformersTheirUsualAttentionToTheSource) {
  const auto attention = [&](std::vector<std::string> overrides) {
    overrides.emplace_back("model.decoder.heads=4");
    return load(overrides).model.attention;
  };
  const auto usual = attention({"model.decoder.type=transformer"});
  EXPECT_EQ(usual.score, ScoreKind::scaled_dot);
  EXPECT_EQ(usual.heads, 4);
  const auto chosen =
      attention({"model.decoder.type=ssru", "model.attention={score: additive, heads: 2}"});
  EXPECT_EQ(chosen.score, ScoreKind::additive);
  EXPECT_EQ(chosen.heads, 2);
  EXPECT_EQ(load({}).model.attention.score, ScoreKind::additive);
  EXPECT_EQ(load({}).model.attention.heads, 1);
}

// Regression: the model of such a run could not be loaded, because the default score had changed.
TEST_F(SettledExperiment, RefusesKeysThatTheUsualAttentionDoesNotRead) {
  expect_refusal({"model.decoder.type=transformer", "model.attention.normalized=true"},
                 "model.attention.normalized", "not of scaled_dot");
  expect_refusal({"model.decoder.type=transformer", "model.attention.size=3"},
                 "model.attention.size", "no effect with score scaled_dot");
  EXPECT_NO_THROW((void)load({"model.decoder.type=transformer", "model.attention.score=additive",
                              "model.attention.size=3"}));
}

// The folder's config has the key, so the resumed run cannot leave it out.
TEST_F(SettledExperiment, LetsARunGoOnWithKeysThatHaveNoEffect) {
  const std::vector<std::string> overrides = {"model.attention.temperature=0.5",
                                              "model.attention.distribution=sparsemax"};
  expect_refusal(overrides, "temperature", "would have no effect");
  EXPECT_NO_THROW((void)load(overrides, Purpose::resume));
}

// A model that was trained with such keys must still load.
TEST_F(SettledExperiment, AConfigThatIsOnlyReadMayHaveThem) {
  const std::vector<std::string> overrides = {"training.patience=3"};
  EXPECT_NO_THROW((void)load(overrides, Purpose::use));
}

TEST_F(SettledExperiment, RefusesACoveragePenaltyWithoutAttention) {
  for (const std::string wiring : {"answer", "none"}) {
    expect_refusal({"decoding.coverage_penalty=0.5", "model.decoder.wiring=" + wiring},
                   "decoding.coverage_penalty", "wiring " + wiring + " has no attention");
  }
}

TEST_F(SettledExperiment, RefusesConstantsOfAdamThatMakeWeightsNaN) {
  for (const char* key : {"beta1", "beta2"}) {
    expect_refusal({std::string("training.adam.") + key + "=1"}, key, "0 to below 1");
  }
  expect_refusal({"training.adam.epsilon=1e-60"}, "training.adam.epsilon", "1e-30");
}

TEST_F(SettledExperiment, RefusesBatchesBeyondAllCounting) {
  expect_refusal({"training.batch.size=4611686018427387904"}, "training.batch.size", "1000000000");
  expect_refusal({"decoding.batch_size=4611686018427387904"}, "decoding.batch_size", "1000000");
}

// Regression: only the search rejected it, at the first validation after an epoch of training.
TEST_F(SettledExperiment, RefusesABeamOfValidationThatNoSearchTakes) {
  expect_refusal({kDev, "training.validation.beam=1000001"}, "training.validation.beam",
                 "0 to 1000");
}

// Regression: decoding.beam: 1000000 in a model from elsewhere took over 6 GB for one word.
TEST_F(SettledExperiment, RefusesADecodingThatTakesGigabytesForOneWord) {
  expect_refusal({"decoding.beam=1001"}, "decoding.beam", "1 to 1000");
  expect_refusal({"decoding.beam=100", "decoding.batch_size=1001"}, "decoding.beam",
                 "at most 100000");
  expect_refusal({"decoding.beam=100", "decoding.batch_unit=tokens", "decoding.batch_size=10001"},
                 "decoding.beam", "at most 1000000");
  EXPECT_NO_THROW((void)load({"decoding.beam=100", "decoding.batch_size=1000"}));
}

// An ntm or dnc keeps slots * width numbers for every row of a batch, and a dnc also slots * slots.
TEST_F(SettledExperiment, RefusesAMemoryOfGigabytesForEachRow) {
  expect_refusal({"model.encoder.memory.slots=4097"}, "model.encoder.memory.slots", "3 to 4096");
  expect_refusal({"model.encoder.memory.slots=4096", "model.encoder.memory.width=1025"},
                 "model.encoder.memory.slots", "at most 4194304");
}

// Regression: two vocabularies of the same size were treated as one.
TEST_F(SettledExperiment, RefusesToTieTheMatricesOfTwoVocabularies) {
  expect_refusal({kDev, "model.tie=all", "tokenizer.joint=false"}, "model.tie", "tokenizer.joint");
  EXPECT_NO_THROW((void)load({kDev, "model.tie=decoder", "tokenizer.joint=false"}));
  // The initial model provides the vocabularies, so tokenizer.joint does not matter.
  EXPECT_NO_THROW(
      (void)load({kDev, "model.tie=all", "tokenizer.joint=false", "training.init_from=somewhere"}));
}

}  // namespace
}  // namespace attend::app
