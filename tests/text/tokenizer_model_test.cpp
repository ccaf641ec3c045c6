#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unordered_map>

#include "core/error.h"
#include "tests/support/temp_dir.h"
#include "tests/text/toy_model.h"
#include "text/sentencepiece/library.h"
#include "text/tokenizer.h"

namespace attend::text {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TokenizerModel, IsReportedIfMissing) {
  EXPECT_THAT([] { Tokenizer("no/such.model", false); },
              ThrowsMessage<ModelFileError>(HasSubstr("no/such.model")));
}

TEST(TokenizerModel, IsReportedIfItIsAnotherFile) {
  const test::TempDir folder;
  for (const std::string content : {"", "not a model", "{}"}) {
    const auto path = folder.write("x.model", content);
    EXPECT_THAT([&] { Tokenizer(path, false); },
                ThrowsMessage<ModelFileError>(
                    AllOf(HasSubstr("x.model"), HasSubstr("not a SentencePiece model"))));
  }
}

TEST(TokenizerModel, IsNotReadIfItIsTooLarge) {
  const test::TempDir folder;
  const auto path = folder.write("x.model", "");
  std::filesystem::resize_file(path, (uintmax_t{1} << 28) + 1);  // takes no room on the disk
  EXPECT_THAT([&] { Tokenizer(path, false); },
              ThrowsMessage<ModelFileError>(HasSubstr("larger than 256 MiB")));
}

TEST(TokenizerModel, IsReportedIfTruncated) {
  const test::TempDir folder;
  const std::string model = test::read_text(test::toy_model(folder));
  const auto path = folder.write("cut.model", model.substr(0, model.size() / 2));
  EXPECT_THAT([&] { Tokenizer(path, false); },
              ThrowsMessage<ModelFileError>(HasSubstr("cut.model")));
}

/// A model with spm_train's default ids (<unk> 0, <s> 1, </s> 2, no padding) and a control symbol.
std::filesystem::path foreign_model(const test::TempDir& folder,
                                    std::unordered_map<std::string, std::string> arguments = {}) {
  arguments.merge(std::unordered_map<std::string, std::string>{{"model_type", "char"},
                                                               {"vocab_size", "60"},
                                                               {"hard_vocab_limit", "false"},
                                                               {"control_symbols", "<2de>"},
                                                               {"minloglevel", "3"}});
  return folder.write("foreign.model", sentencepiece().train(arguments, test::toy_text()).bytes);
}

// The byte 0x0A is a piece of models with byte fallback.
TEST(ForeignModel, NeverGivesALineFeed) {
  const test::TempDir folder;
  const auto path = foreign_model(
      folder, {{"model_type", "bpe"}, {"byte_fallback", "true"}, {"vocab_size", "400"}});
  const Tokenizer tokenizer(path, false);
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.piece(id) == "<0x0A>") ids.push_back(id);
  }
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_EQ(tokenizer.decode(ids), " ");
  EXPECT_EQ(tokenizer.decode_with_spans(ids).text, " ");
}

// Symptom: each line ended with a blank.
TEST(ForeignModel, WithMarksAtTheEndsOfWordsLeavesNoLastBlank) {
  const test::TempDir folder;
  const auto path = foreign_model(
      folder,
      {{"model_type", "bpe"}, {"vocab_size", "80"}, {"treat_whitespace_as_suffix", "true"}});
  const Tokenizer tokenizer(path, false);
  const std::vector<TokenId> ids = tokenizer.encode("der Hund");
  ASSERT_TRUE(tokenizer.piece(ids.back()).ends_with("\u2581"));
  EXPECT_EQ(tokenizer.decode(ids), "der Hund");
  const Detokenized line = tokenizer.decode_with_spans(ids);
  EXPECT_EQ(line.text, "der Hund");
  EXPECT_EQ(line.spans.back().end, line.text.size());
}

/// Replaces every "ä" in `model` by two bytes that are not a character.
std::string with_broken_pieces(std::string model) {
  for (std::size_t at = model.find("ä"); at != std::string::npos; at = model.find("ä", at))
    model.replace(at, 2, "\xA4\xA4");
  return model;
}

// Regression: such pieces made the program write before the start of a string.
TEST(ForeignModel, WithIllFormedPiecesIsRejected) {
  const test::TempDir folder;
  const std::string whole =
      test::read_text(foreign_model(folder, {{"normalization_rule_name", "identity"}}));
  const auto path = folder.write("broken.model", with_broken_pieces(whole));
  ASSERT_NE(test::read_text(path), whole);
  EXPECT_THAT([&] { Tokenizer(path, false); },
              ThrowsMessage<ModelFileError>(
                  AllOf(HasSubstr("broken.model"), HasSubstr("not well-formed UTF-8"))));
}

TEST(ForeignModel, GetsOurSpecialIdsAndKeepsItsOwnOrder) {
  const test::TempDir folder;
  const Tokenizer tokenizer(foreign_model(folder), false);
  const auto theirs = sentencepiece().load(test::read_text(foreign_model(folder)));
  ASSERT_EQ(theirs->special_ids(), (std::vector<int>{-1, 0, 1, 2}));
  EXPECT_EQ(tokenizer.size(), theirs->size() + 1);  // <pad>
  EXPECT_EQ(tokenizer.piece(kUnk), "<unk>");
  for (int id = 3; id < theirs->size(); ++id) EXPECT_EQ(tokenizer.piece(id + 1), theirs->piece(id));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("der Hund")), "der Hund");
}

TEST(ForeignModel, MayHaveItsSpecialIdsAnywhere) {
  const test::TempDir folder;
  const auto path =
      foreign_model(folder, {{"pad_id", "3"}, {"eos_id", "0"}, {"unk_id", "2"}, {"bos_id", "-1"}});
  const Tokenizer tokenizer(path, false);
  EXPECT_EQ(tokenizer.encode("☃").back(), kUnk);
  EXPECT_EQ(tokenizer.piece(4), "<2de>");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("der Hund")), "der Hund");
}

TEST(ForeignModel, MayStartWithAnOrdinaryPiece) {
  const test::TempDir folder;
  const auto path = foreign_model(folder, {{"unk_id", "1"},
                                           {"bos_id", "-1"},
                                           {"eos_id", "-1"},
                                           {"control_symbols", ""},
                                           {"user_defined_symbols", "Hund"}});
  ASSERT_EQ(sentencepiece().load(test::read_text(path))->piece(0), "Hund");
  const Tokenizer tokenizer(path, false);
  EXPECT_EQ(tokenizer.piece(4), "Hund");
  EXPECT_EQ(tokenizer.encode("Hund").back(), 4);
}

TEST(ForeignModel, PrintsOurMarkForAnUnknownPiece) {
  const test::TempDir folder;
  const Tokenizer tokenizer(foreign_model(folder), false);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("Hu☃d")),
            "Hu\u2047d");  // the model's own mark has spaces around it
}

TEST(ForeignModel, PrintsNothingForItsOwnControlSymbol) {
  const test::TempDir folder;
  const Tokenizer tokenizer(foreign_model(folder), false);
  ASSERT_EQ(tokenizer.piece(4), "<2de>");
  auto ids = tokenizer.encode("Hund");
  ids.insert(ids.begin(), 4);
  EXPECT_EQ(tokenizer.decode(ids), "Hund");
}

// The module must share the program's std::cerr (see share_cerr() in module.cpp).
TEST(SentencePieceLibrary, SurvivesItsOwnMessages) {
  const test::TempDir folder;
  ::testing::internal::CaptureStderr();
  (void)foreign_model(folder, {{"minloglevel", "0"}});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("trainer_interface"));
  (void)foreign_model(folder);  // sets the log level back to quiet
}

}  // namespace
}  // namespace attend::text
