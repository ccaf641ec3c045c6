#include "metrics/tokenizer/tokenize_flores.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "metrics/tokenizer/tokenizers.h"
#include "tests/text/toy_model.h"

namespace attend::metrics {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Sets $SACREBLEU to an empty folder.
class TokenizeFlores : public testing::Test {
 protected:
  TokenizeFlores() { setenv("SACREBLEU", folder_.path().c_str(), 1); }
  ~TokenizeFlores() override { unsetenv("SACREBLEU"); }

  test::TempDir folder_;
};

TEST_F(TokenizeFlores, SaysWhereItsModelIsExpected) {
  EXPECT_THAT([] { (void)find_tokenizer("flores101"); },
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr((folder_ / "models/sacrebleu_tokenizer_spm.model").string()),
                        HasSubstr("https://dl.fbaipublicfiles.com/"))));
}

// A toy model in place of the real one. The pieces are those of the sentencepiece package.
TEST_F(TokenizeFlores, SeparatesThePiecesOfItsModel) {
  std::filesystem::create_directories(folder_ / "models");
  std::filesystem::copy(test::toy_model(folder_, text::TokenizerType::character, 30),
                        folder_ / "models/flores200sacrebleuspm");
  EXPECT_EQ(find_tokenizer("flores200")("ein Hund"), "▁ e i n ▁ H u n d");
  EXPECT_EQ(tokenize_flores200("日本 Hund"), "▁ 日本 ▁ H u n d");
  EXPECT_EQ(tokenize_flores200(""), "");
}

}  // namespace
}  // namespace attend::metrics
