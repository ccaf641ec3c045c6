#include "data/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_options.h"
#include "core/error.h"
#include "tests/support/temp_dir.h"
#include "text/options.h"

namespace attend::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Options = DataOptions>
Options load_options(const std::string& yaml) {
  const test::TempDir folder;
  return config::load_options<Options>(folder.write("x.yaml", yaml));
}

TEST(DataOptions, TakesOnePairOrAListOfPairs) {
  EXPECT_EQ(load_options("train: {source: /a, target: /b}").train.size(), 1U);
  const auto options = load_options("train: [{source: /a, target: /b}, {source: /c, target: /d}]");
  ASSERT_EQ(options.train.size(), 2U);
  EXPECT_EQ(options.train[1].target, "/d");
  EXPECT_TRUE(options.dev.empty());
}

TEST(DataOptions, WantsTrainingText) {
  EXPECT_THAT([] { (void)load_options("max_length: 5"); },
              ThrowsMessage<ConfigError>(HasSubstr("no training text")));
}

TEST(DataOptions, WantsBothSidesOfAPair) {
  EXPECT_THAT([] { (void)load_options("train: {source: /a}"); },
              ThrowsMessage<ConfigError>(HasSubstr("source is given, but target is not")));
  EXPECT_THAT([] { (void)load_options("train: {source: /a, target: /b}\ndev: {target: /c}"); },
              ThrowsMessage<ConfigError>(HasSubstr("target is given, but source is not")));
}

TEST(DataOptions, RejectsARatioThatNoPairCanKeep) {
  const std::string train = "train: {source: /a, target: /b}\n";
  EXPECT_THAT([&] { (void)load_options(train + "max_ratio: 0.5"); },
              ThrowsMessage<ConfigError>(HasSubstr("give 1 or more, or 0 for no limit")));
  EXPECT_EQ(load_options(train + "max_ratio: 1.5").max_ratio, 1.5);
}

using text::TokenizerOptions;

TEST(TokenizerOptions, WantsAsManyModelsAsVocabularies) {
  EXPECT_THAT([] { (void)load_options<TokenizerOptions>("model: [/a, /b]"); },
              ThrowsMessage<ConfigError>(HasSubstr("a joint vocabulary takes one model")));
  EXPECT_THAT([] { (void)load_options<TokenizerOptions>("model: /a\njoint: false"); },
              ThrowsMessage<ConfigError>(HasSubstr("separate vocabularies take two models")));
  EXPECT_EQ(load_options<TokenizerOptions>("model: [/a, /b]\njoint: false").model.size(), 2U);
  EXPECT_EQ(load_options<TokenizerOptions>("model: /a").model, std::vector<std::string>{"/a"});
  EXPECT_TRUE(load_options<TokenizerOptions>("model: null").model.empty());
}

TEST(TokenizerOptions, WantsATypeThatCanSample) {
  EXPECT_THAT([] { (void)load_options<TokenizerOptions>("type: word\nsampling: 0.1"); },
              ThrowsMessage<ConfigError>(HasSubstr("sampling needs bpe or unigram")));
  EXPECT_EQ(load_options<TokenizerOptions>("type: unigram\nsampling: 0.1").sampling, 0.1);
}

}  // namespace
}  // namespace attend::data
