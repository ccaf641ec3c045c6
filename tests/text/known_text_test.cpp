#include "text/known_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "tests/text/toy_model.h"

namespace attend::text {
namespace {

class KnownTextTest : public testing::Test {
 protected:
  [[nodiscard]] double vocabulary() const { return static_cast<double>(tokenizer_->size()); }

  [[nodiscard]] PieceCounts none() const {
    return PieceCounts(static_cast<std::size_t>(tokenizer_->size()));
  }
  [[nodiscard]] PieceCounts of_toy_text() const {
    PieceCounts counts = none();
    for (const std::string& line : test::toy_text())
      for (const TokenId id : tokenizer_->encode(line)) ++counts[static_cast<std::size_t>(id)];
    return counts;
  }

  test::TempDir folder_;
  std::shared_ptr<const Tokenizer> tokenizer_ =
      std::make_shared<const Tokenizer>(test::toy_model(folder_), false);
};

// Ten pieces "▁ein" and nothing else.
TEST_F(KnownTextTest, TakesTheProbabilityOfAPieceFromItsCount) {
  PieceCounts counts = none();
  const auto ids = tokenizer_->encode("ein");
  ASSERT_EQ(ids.size(), 1U);
  counts[static_cast<std::size_t>(ids.front())] = 10;
  const KnownText known(tokenizer_, counts);
  const double all = 10 + vocabulary() / 2;

  const Surprise twice = known.surprise("ein ein");
  EXPECT_EQ(twice.characters, 6) << "blanks are not counted";
  EXPECT_NEAR(twice.nats, -2 * std::log(10.5 / all), 1e-9);
  EXPECT_NEAR(known.usual(), -std::log(10.5 / all) / 3, 1e-9);

  const auto unseen = static_cast<double>(tokenizer_->encode("Hund").size());
  EXPECT_NEAR(known.surprise("Hund").nats, -unseen * std::log(0.5 / all), 1e-9);
}

TEST_F(KnownTextTest, IsMostSurprisedByCharactersThatTheTokenizerLacks) {
  const KnownText known(tokenizer_, of_toy_text());
  const auto pieces = tokenizer_->encode_pieces("日本");  // "▁" and one unknown piece
  ASSERT_EQ(pieces.size(), 2U);
  ASSERT_EQ(pieces.back().id, kUnk);
  const Surprise surprise = known.surprise("日本");
  EXPECT_EQ(surprise.characters, 2);
  const PieceCounts counts = of_toy_text();
  const auto blanks = static_cast<double>(counts[static_cast<std::size_t>(pieces.front().id)]);
  const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  const double of_one = std::log((all + vocabulary() / 2) / 0.5) + std::log(vocabulary());
  const double of_blank = std::log((all + vocabulary() / 2) / (blanks + 0.5));
  EXPECT_NEAR(surprise.nats, of_blank + 2 * of_one, 1e-9);
}

// By definition, usual() is the mean over the text.
TEST_F(KnownTextTest, IsUsuallySurprisedAsByItsOwnLines) {
  const KnownText known(tokenizer_, of_toy_text());
  Surprise all;
  for (const std::string& line : test::toy_text()) {
    const Surprise of_line = known.surprise(line);
    all.nats += of_line.nats;
    all.characters += of_line.characters;
  }
  EXPECT_NEAR(known.usual(), all.per_character(), 1e-9);
  EXPECT_GT(known.usual(), 0.0);
}

TEST_F(KnownTextTest, HasNoSurpriseInAnEmptyLine) {
  const KnownText known(tokenizer_, none());
  EXPECT_EQ(known.usual(), 0.0);
  EXPECT_EQ(known.surprise("").per_character(), 0.0);
  EXPECT_EQ(known.surprise("  ").characters, 0);
}

}  // namespace
}  // namespace attend::text
