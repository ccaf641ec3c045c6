// Hints at our keys and values for the names of other tools.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "config/load.h"
#include "config/section.h"
#include "core/error.h"

namespace attend::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const std::string& setting) {
  const std::vector<std::string> overrides = {setting};
  try {
    static_cast<void>(config::load<Experiment>("", overrides, config::Purpose::show));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(OtherNames, LeadToKeysAndValuesThatExist) {
  const auto keys = config::schema_of<Experiment>().keys();
  for (const config::OtherName& other : other_names(Experiment())) {
    const std::string key(other.key);
    EXPECT_FALSE(config::keys_to(key, keys).empty()) << other.name << " " << key;
    if (other.value.empty()) continue;
    EXPECT_THAT(error_of(key + "=" + std::string(other.value)), Not(HasSubstr("unknown value")));
    EXPECT_THAT(error_of(key + "=" + std::string(other.name)),
                HasSubstr("did you mean \"" + std::string(other.value) + "\"?"));
  }
}

/// "training" for "training.learning_rate".
std::string section_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

TEST(OtherNames, AreNoKeysOfOurOwnInTheSameSection) {
  const auto keys = config::schema_of<Experiment>().keys();
  for (const config::OtherName& other : other_names(Experiment())) {
    if (!other.value.empty()) continue;
    const std::string section = section_of(std::string(other.key));
    const std::string same = config::dotted(section, std::string(other.name));
    EXPECT_TRUE(config::keys_to(same, keys).empty()) << same;
  }
}

TEST(OtherNames, GiveTheKeyOfTheSameSectionFirst) {
  EXPECT_THAT(error_of("training.lr=1"), HasSubstr("did you mean training.learning_rate?"));
  EXPECT_THAT(error_of("training.early_stopping=5"), HasSubstr("did you mean training.patience?"));
  EXPECT_THAT(error_of("training.seed=5"), HasSubstr("did you mean seed?"));
  EXPECT_THAT(error_of("model.decoder.num_heads=4"),
              HasSubstr("did you mean model.decoder.heads?"));
  EXPECT_THAT(error_of("model.hidden-size=4"),
              HasSubstr("did you mean model.encoder.hidden or model.decoder.hidden?"));
}

TEST(OtherNames, OfValuesMayDifferInCase) {
  EXPECT_THAT(error_of("model.attention.score=Bahdanau"), HasSubstr("did you mean \"additive\"?"));
  EXPECT_THAT(error_of("model.encoder.cell=LSTM"), HasSubstr("did you mean \"lstm\"?"));
}

}  // namespace
}  // namespace attend::app
