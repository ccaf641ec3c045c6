#include "app/run/dev_protection.h"

#include <gmock/gmock.h>

#include "tests/app/terms/tokenizers.h"
#include "text/placeholders.h"

namespace attend::app {
namespace {

/// A validation set of one line.
class DevPlaceholders : public testing::Test {
 protected:
  [[nodiscard]] DevProtection of(const std::string& source, int64_t max_length = 50) const {
    data::DataOptions options;
    options.protect.kinds = {text::ProtectedKind::all};
    options.max_length = max_length;
    const data::DevSet dev{{{source}}, {"ein Hund"}, data::ParallelCorpus(tokenizer_->size())};
    return {dev, options, {*tokenizer_, *tokenizer_}};
  }

  std::shared_ptr<const text::Tokenizer> tokenizer_ =
      test::placeholder_tokenizer("ein Hund schläft in 5 Tagen , (%s)");
};

// Symptom: BLEU compared a translation with placeholders.
TEST_F(DevPlaceholders, AreRestoredInTranslations) {
  const DevProtection lines = of("ein 5 Hund %s");
  EXPECT_EQ(lines.text(0, tokenizer_->encode("\u27E62\u27E7 Hund \u27E61\u27E7")), "%s Hund 5");
  EXPECT_EQ(lines.text(0, tokenizer_->encode("Hund \u27E61\u27E7")), "Hund 5 %s")
      << "lost texts are added";
}

// Symptom: what only the source has was shown to the model as text, unlike in `translate`.
TEST_F(DevPlaceholders, StandForPartsThatTheReferenceLacks) {
  const DevProtection lines = of("ein 5 Hund %s");
  EXPECT_EQ(lines.source(0), tokenizer_->encode("ein \u27E61\u27E7 Hund \u27E62\u27E7"));
}

TEST_F(DevPlaceholders, OfPartsBeyondTheLongestLineAreNotRequired) {
  const DevProtection lines = of("ein Hund %s", 2);
  EXPECT_EQ(lines.source(0).size(), 2U);
  EXPECT_EQ(lines.text(0, tokenizer_->encode("Hund")), "Hund");
}

}  // namespace
}  // namespace attend::app
