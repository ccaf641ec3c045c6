#include "metrics/tokenizer/tokenize_ja_mecab.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "metrics/tokenizer/tokenizers.h"

namespace attend::metrics {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// The tokens of sacreBLEU 2.6 with ipadic 1.0.
TEST(TokenizeJaMecab, GivesTheWordsOfSacrebleu) {
  if (!has_mecab()) GTEST_SKIP() << "MeCab is not installed";
  EXPECT_EQ(tokenize_ja_mecab("  犬は庭で寝ています。 "), "犬 は 庭 で 寝 て い ます 。");
  EXPECT_EQ(tokenize_ja_mecab("太郎は花子が読んでいる本を次郎に渡した"),
            "太郎 は 花子 が 読ん で いる 本 を 次 郎 に 渡し た");
  EXPECT_EQ(tokenize_ja_mecab("iPhone 15 を買った"), "iPhone 15 を 買っ た");
  EXPECT_EQ(tokenize_ja_mecab(""), "");
}

TEST(TokenizeJaMecab, SaysWhatToInstall) {
  if (has_mecab()) GTEST_SKIP() << "MeCab is installed";
  EXPECT_THAT([] { (void)find_tokenizer("ja-mecab"); },
              ThrowsMessage<UsageError>(HasSubstr("apt-get install libmecab2 mecab-ipadic-utf8")));
}

}  // namespace
}  // namespace attend::metrics
