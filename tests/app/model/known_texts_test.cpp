#include "app/model/known_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/support/temp_dir.h"
#include "tests/text/toy_model.h"

namespace attend::app {
namespace {

using testing::HasSubstr;
using testing::IsNull;
using testing::NotNull;
using testing::ThrowsMessage;

/// test::toy_text() in English.
const std::vector<std::string> kEnglish = {
    "a dog runs through the park",  "two dogs run through the snow", "the man sees the dog",
    "a man and a dog are sleeping", "the dogs sleep in the snow",    "the dog sees the two men"};

std::shared_ptr<const text::Tokenizer> english_tokenizer(const test::TempDir& folder) {
  text::TokenizerOptions options;
  options.type = text::TokenizerType::bpe;
  options.vocabulary = 60;
  return std::make_shared<const text::Tokenizer>(
      folder.write("en.model", text::train_tokenizer(options, false, test::from(kEnglish))), false);
}

/// A model that was trained on the toy texts, English to German, each with its own tokenizer.
class KnownTextsTest : public testing::Test {
 protected:
  [[nodiscard]] TrainedPieces counted() const {
    data::ParallelCorpus corpus(100);
    const auto german = test::toy_text();
    for (std::size_t i = 0; i < german.size(); ++i) {
      corpus.add(source_->encode(kEnglish[i]), target_->encode(german[i]),
                 static_cast<int64_t>(i) + 1);
    }
    return count_pieces(corpus, {*source_, *target_});
  }
  [[nodiscard]] KnownTexts known() const { return {source_, target_, counted()}; }

  test::TempDir folder_;
  std::shared_ptr<const text::Tokenizer> source_ = english_tokenizer(folder_);
  std::shared_ptr<const text::Tokenizer> target_ =
      std::make_shared<const text::Tokenizer>(test::toy_model(folder_), false);
};

TEST_F(KnownTextsTest, CountThePiecesOfBothSides) {
  data::ParallelCorpus corpus(100);
  const std::vector<text::TokenId> source = {5, 6, 5}, target = {text::kUnk, 7};
  corpus.add(source, target, 1);
  corpus.add(source, target, 2);
  const TrainedPieces pieces = count_pieces(corpus, {*source_, *target_});
  EXPECT_EQ(std::ssize(pieces.source), source_->size());
  EXPECT_EQ(pieces.source[5], 4);
  EXPECT_EQ(pieces.source[6], 2);
  EXPECT_EQ(pieces.target[text::kUnk], 2);
  EXPECT_EQ(pieces.target[7], 2);
  EXPECT_EQ(pieces.target[5], 0);
}

TEST_F(KnownTextsTest, TellTheLanguagesOfTheModelFromOthers) {
  const KnownTexts known = this->known();
  EXPECT_EQ(known.likeness("two men run through the park"), Likeness::kSource);
  EXPECT_EQ(known.likeness("zwei Männer laufen durch den Park"), Likeness::kTarget);
  EXPECT_EQ(known.likeness("двое мужчин бегут через парк"), Likeness::kNeither);
  EXPECT_EQ(known.likeness("二人の男が公園を走っている、そして雪"), Likeness::kNeither);
  EXPECT_EQ(known.likeness("ein Hund"), Likeness::kTooShort);
  EXPECT_EQ(known.likeness("雪の公園で"), Likeness::kNeither) << "5 of Han and kana are enough";
  EXPECT_EQ(known.likeness("雪の公園"), Likeness::kTooShort);
}

TEST_F(KnownTextsTest, AreReadAsTheyWereWritten) {
  save_trained_pieces(folder_.path(), counted());
  const auto read = load_known_texts(folder_.path(), source_, target_);
  ASSERT_THAT(read, NotNull());
  EXPECT_EQ(read->source().usual(), known().source().usual());
  EXPECT_EQ(read->target().usual(), known().target().usual());
}

TEST_F(KnownTextsTest, AreMissingInFoldersOfEarlierVersions) {
  EXPECT_THAT(load_known_texts(folder_.path(), source_, target_), IsNull());
}

// A model folder may come from a stranger.
TEST_F(KnownTextsTest, RefuseAFileThatDoesNotFit) {
  save_trained_pieces(folder_.path(), counted());
  const std::string good = test::read_text(folder_ / "pieces.json");
  const auto replaced = [&](const std::string& part, const std::string& by) {
    std::string text = good;
    return text.replace(text.find(part), part.size(), by);
  };
  for (const auto& [content, message] : std::vector<std::pair<std::string, std::string>>{
           {good.substr(0, good.size() / 2), "is not a JSON object"},
           {"", "is not a JSON object"},
           {"[]", "is not a JSON object"},
           {std::string(1000, '['), "is not a JSON object"},
           {std::string(10'000, '['), "is larger than its content can be"},
           {replaced("[0,", "["), "\"source\" is not a list of 60 counts"},
           {replaced("source", "sauce"), "\"source\" is not a list"},
           {replaced("[0,", "[-1,"), "\"source\" has a value that is not a count"},
           {replaced("[0,", "[0.5,"), "\"source\" has a value that is not a count"},
           {replaced("[0,", "[1e300,"), "\"source\" has a value that is not a count"},
           {replaced("[0,", "[9999999999999,"), "\"source\" has a value that is not a count"}}) {
    folder_.write("pieces.json", content);
    EXPECT_THAT([&] { (void)load_known_texts(folder_.path(), source_, target_); },
                ThrowsMessage<ModelFileError>(HasSubstr(message)))
        << content.substr(0, 60);
  }
}

}  // namespace
}  // namespace attend::app
