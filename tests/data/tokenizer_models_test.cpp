#include "data/tokenizer_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TokenizerModels : public ::testing::Test {
 protected:
  TokenizerModels() {
    data_.train = {test::write_pairs(folder_, "x", "ab\n", "cd\n"),
                   test::write_pairs(folder_, "y", "ef\n", "gh\n")};
    tokenizer_.type = text::TokenizerType::character;
  }
  /// True if the model knows all characters of `line`.
  bool knows(const std::string& model, const std::string& line) {
    const text::Tokenizer tokenizer(folder_.write("m", model), false);
    return tokenizer.decode(tokenizer.encode(line)) == line;
  }

  test::TempDir folder_;
  DataOptions data_;
  text::TokenizerOptions tokenizer_;
};

TEST_F(TokenizerModels, AreOneModelOfAllTheTextWhereJoint) {
  const auto models = tokenizer_models(tokenizer_, data_);
  ASSERT_EQ(models.size(), 1U);
  EXPECT_TRUE(knows(models[0], "abcdefgh"));
}

TEST_F(TokenizerModels, AreOneModelPerSideWhereSeparate) {
  tokenizer_.joint = false;
  const auto models = tokenizer_models(tokenizer_, data_);
  ASSERT_EQ(models.size(), 2U);
  EXPECT_TRUE(knows(models[0], "abef"));
  EXPECT_FALSE(knows(models[0], "c"));
  EXPECT_TRUE(knows(models[1], "cdgh"));
  EXPECT_FALSE(knows(models[1], "a"));
}

TEST_F(TokenizerModels, ReadEverySource) {
  data_.train.resize(1);
  data_.train[0].sources.push_back({"two", folder_.write("x.two", "xy\n").string()});
  tokenizer_.joint = false;
  const auto models = tokenizer_models(tokenizer_, data_);
  EXPECT_TRUE(knows(models[0], "abxy"));
  EXPECT_FALSE(knows(models[1], "x"));
}

TEST_F(TokenizerModels, AreTheGivenOnesUnchanged) {
  const auto trained = tokenizer_models(tokenizer_, data_);
  tokenizer_.model = {folder_.write("given.model", trained[0]).string()};
  data_.train.clear();
  EXPECT_EQ(tokenizer_models(tokenizer_, data_), trained);
}

TEST_F(TokenizerModels, NameAGivenFileThatIsNoModel) {
  tokenizer_.model = {folder_.write("given.model", "text").string()};
  EXPECT_THAT([&] { (void)tokenizer_models(tokenizer_, data_); },
              ThrowsMessage<ModelFileError>(HasSubstr("given.model")));
}

TEST_F(TokenizerModels, ReportDifferentLineCounts) {
  data_.train.push_back(test::write_pairs(folder_, "z", "a\nb\n", "c\n"));
  EXPECT_THAT([&] { (void)tokenizer_models(tokenizer_, data_); },
              ThrowsMessage<DataError>(HasSubstr("z.source has 2")));
}

}  // namespace
}  // namespace attend::data
