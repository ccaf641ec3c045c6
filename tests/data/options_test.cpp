#include "data/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/print.h"
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
  return config::load<Options>(folder.write("x.yaml", yaml));
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

TEST(DataOptions, WantsSharesOfChangesThatFitTogether) {
  const std::string train = "train: {source: /a, target: /b}\n";
  EXPECT_NEAR(load_options(train + "augment: {typos: 0.7, upper_case: 0.3}").augment.sum(), 1.0,
              1e-12);
  EXPECT_THAT([&] { (void)load_options(train + "augment: {typos: 0.7, upper_case: 0.4}"); },
              ThrowsMessage<ConfigError>(HasSubstr("the shares sum to 1.1")));
  EXPECT_THAT([&] { (void)load_options(train + "lowercase: true\naugment: {title_case: 0.1}"); },
              ThrowsMessage<ConfigError>(HasSubstr("lowercase undoes")));
  EXPECT_THAT(
      [&] {
        (void)load_options(train + "segments: {separator: \"|\"}\naugment: {two_sentences: 0.1}");
      },
      ThrowsMessage<ConfigError>(HasSubstr("lines of segments cannot be joined")));
}

TEST(DataOptions, TakesNamedSourcesInTheOrderOfTheirNames) {
  const auto options = load_options(
      "train: {source: {es: /a.es, en: /a.en}, target: /a.de}\n"
      "dev: {source: {en: /d.en, es: /d.es}, target: /d.de}");
  const std::vector<config::NamedPath> expected = {{"en", "/a.en"}, {"es", "/a.es"}};
  EXPECT_EQ(options.train[0].sources, expected);
  EXPECT_EQ(count_sources(options), 2U);
  EXPECT_EQ(options.dev.sources[1].path, "/d.es");
}

TEST(DataOptions, WritesNamedSourcesSoThatTheyReadBack) {
  const auto options = load_options("train: {source: {es: /a.es, en: /a.en}, target: /a.de}");
  const std::string yaml = config::to_yaml(options);
  EXPECT_THAT(yaml, HasSubstr("source: {en: /a.en, es: /a.es}"));
  EXPECT_EQ(load_options(yaml).train[0].sources, options.train[0].sources);
  EXPECT_THAT(config::to_yaml(load_options("train: {source: /a, target: /b}")),
              HasSubstr("source: /a\n"));
}

TEST(DataOptions, WritesSourceNamesThatAreWordsOfYaml) {
  const auto options = load_options("train: {source: {\"null\": /a, \"true\": /b}, target: /c}");
  EXPECT_EQ(load_options(config::to_yaml(options)).train[0].sources, options.train[0].sources);
}

TEST(DataOptions, WantsTheSameSourceNamesInEveryText) {
  EXPECT_THAT(
      [] {
        (void)load_options(
            "train: [{source: {en: /a, es: /b}, target: /c}, {source: {en: /a, fr: /b}, target: "
            "/c}]");
      },
      ThrowsMessage<ConfigError>(HasSubstr("have en, es, but the sources of /a have en, fr")));
  EXPECT_THAT(
      [] {
        (void)load_options(
            "train: {source: {en: /a, es: /b}, target: /c}\ndev: {source: /d, target: /e}");
      },
      ThrowsMessage<ConfigError>(HasSubstr("have en, es, but the sources of /d have no name")));
}

TEST(DataOptions, RejectsSourcesThatAreNoNamesWithPaths) {
  for (const char* source :
       {"{}", "[/a, /b]", "{a b: /x}", "{en: null}", "{en: [/x]}", "{en: \"\"}"}) {
    EXPECT_THROW((void)load_options(std::string("train: {target: /t, source: ") + source + "}"),
                 ConfigError)
        << source;
  }
}

TEST(DataOptions, TakesAWordOrAFileForTheCache) {
  const std::string train = "train: {source: /a, target: /b}\n";
  EXPECT_EQ(load_options(train).cache, "auto");
  EXPECT_EQ(load_options(train + "cache: none").cache, "none");
  EXPECT_EQ(load_options(train + "cache: /x/y.tokens").cache, "/x/y.tokens");
  EXPECT_THAT([&] { (void)load_options(train + "cache: null"); },
              ThrowsMessage<ConfigError>(HasSubstr("give auto, none or a file")));
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
