#include "app/translate/unknown_words.h"

#include <gmock/gmock.h>

#include "tests/app/terms/tokenizers.h"
#include "tests/support/tensors.h"
#include "text/vocabulary.h"

namespace attend::app {
namespace {

/// Copies into the translation of `source` by a model with the words ein, Hund and schläft; `*` is
/// an unknown piece. `links` has for each piece the source piece it looks at; the last one is the
/// end symbol.
std::string copied(const std::string& source, const std::vector<std::string>& target,
                   const std::vector<int64_t>& links,
                   text::PieceOrder order = text::PieceOrder::kReading) {
  const auto reads = test::word_tokenizer("a dog sleeps in");
  const auto writes = test::word_tokenizer("ein Hund schläft", false, order);
  SourceLine line;
  line.line = tokenize_line(*reads, source);
  std::vector<text::TokenId> ids;
  for (const std::string& word : target)
    ids.push_back(word == "*" ? text::kUnk : writes->find("▁" + word).value());
  const auto columns = static_cast<int64_t>(line.line.ids.size()) + 1;
  std::vector<double> weights((links.size() + 1) * static_cast<std::size_t>(columns));
  for (std::size_t t = 0; t < links.size(); ++t)
    weights[t * static_cast<std::size_t>(columns) + static_cast<std::size_t>(links[t])] = 1;
  Translation translation;
  translation.line = detokenize_line(*writes, ids);
  translation.attention = test::f64(weights, {static_cast<int64_t>(links.size()) + 1, columns});
  copy_unknown_words(line, *writes, {}, translation);
  return translation.line.text;
}

TEST(CopyUnknownWords, CopiesTheUnknownPieceThatIsLinked) {
  EXPECT_EQ(copied("a Yak sleeps", {"ein", "*", "schläft"}, {0, 1, 2}), "ein Yak schläft");
}

TEST(CopyUnknownWords, CopiesTheWordThatIsLinked) {
  EXPECT_EQ(copied("a dog sleeps", {"ein", "*", "schläft"}, {0, 1, 2}), "ein dog schläft");
}

TEST(CopyUnknownWords, CopiesOnceForPiecesNextToEachOther) {
  EXPECT_EQ(copied("a Yak sleeps", {"ein", "*", "*"}, {0, 1, 1}), "ein Yak");
  EXPECT_EQ(copied("Yak a Gnu", {"*", "*"}, {2, 0}), "Gnu Yak");
  EXPECT_EQ(copied("Yak", {"*", "ein", "*"}, {0, 0, 0}), "Yak ein Yak");
}

TEST(CopyUnknownWords, LeavesPiecesWithoutLinks) {
  EXPECT_EQ(copied("a dog", {"ein", "*"}, {0, 2}), "ein\u2047");
}

TEST(CopyUnknownWords, ReadsModelsThatWriteFromTheEnd) {
  EXPECT_EQ(copied("a Yak sleeps", {"schläft", "*", "ein"}, {2, 1, 0}, text::PieceOrder::kReversed),
            "ein Yak schläft");
}

}  // namespace
}  // namespace attend::app
