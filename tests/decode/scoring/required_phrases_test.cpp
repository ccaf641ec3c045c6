#include "decode/scoring/required_phrases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "core/random.h"
#include "tests/decode/required_oracle.h"

namespace attend::decode {
namespace {

using test::all_of;
using test::Tokens;
using ::testing::ElementsAre;

/// The number of missing tokens before and after each token of `output`.
std::vector<int64_t> missing_along(const RequiredPhrases& required, const Tokens& output) {
  PhraseAutomaton automaton(required);
  int32_t state = PhraseAutomaton::kStart;
  std::vector<int64_t> missing = {automaton.missing(state)};
  for (const auto token : output) {
    state = automaton.next(state, token);
    missing.push_back(automaton.missing(state));
  }
  return missing;
}

TEST(PhraseAutomaton, CountsTheTokensOfPhrasesInAnyOrder) {
  EXPECT_THAT(missing_along(all_of({{4, 5}, {6}}), {7, 6, 7, 4, 5, 7}),
              ElementsAre(3, 3, 2, 2, 1, 0, 0));
}

TEST(PhraseAutomaton, ForgetsAPhraseThatBreaksOff) {
  EXPECT_THAT(missing_along(all_of({{4, 5, 6}}), {4, 5, 7, 4, 5, 6}),
              ElementsAre(3, 2, 1, 3, 2, 1, 0));
}

// In 4 4 5 the phrase begins at the second 4, where its first beginning breaks off.
TEST(PhraseAutomaton, RestartsAPhraseInsideItself) {
  EXPECT_THAT(missing_along(all_of({{4, 4, 5}}), {4, 4, 4, 5}), ElementsAre(3, 2, 1, 1, 0));
}

TEST(PhraseAutomaton, LetsUnequalPhrasesShareTokens) {
  EXPECT_THAT(missing_along(all_of({{4, 5}, {5, 6}}), {4, 5, 6}), ElementsAre(4, 3, 1, 0));
}

TEST(PhraseAutomaton, CountsEqualPhrasesWithoutOverlap) {
  EXPECT_THAT(missing_along(all_of({{4, 4}, {4, 4}}), {4, 4, 4, 4}), ElementsAre(4, 3, 2, 1, 0));
}

TEST(PhraseAutomaton, TakesAnyAlternative) {
  const RequiredPhrases required{.groups = {{{{4, 5, 6}, false}, {{7, 8}, false}}}};
  EXPECT_THAT(missing_along(required, {7, 8}), ElementsAre(2, 1, 0));
  EXPECT_THAT(missing_along(required, {4, 5, 6}), ElementsAre(2, 2, 1, 0));
  EXPECT_EQ(required.longest(), 3);
}

TEST(PhraseAutomaton, TakesBackAPhraseWhoseWordGoesOn) {
  auto continues = std::make_shared<std::vector<char>>(8, 0);
  (*continues)[7] = 1;
  const RequiredPhrases required{.groups = {{{{4}, true}}}, .continues_word = continues};
  EXPECT_THAT(missing_along(required, {4, 7, 4, 5}), ElementsAre(1, 0, 1, 0, 0));
}

TEST(PhraseAutomaton, RefusesAnEmptyPhrase) {
  EXPECT_THROW(PhraseAutomaton(all_of({{}})), std::logic_error);
  EXPECT_THROW(PhraseAutomaton(RequiredPhrases{.groups = {{}}}), std::logic_error);
}

Tokens random_tokens(Random& random, std::size_t size, text::TokenId first) {
  Tokens tokens(size);
  for (auto& token : tokens) token = first + static_cast<text::TokenId>(random.below(3));
  return tokens;
}

/// One to three groups of one or two phrases over tokens 4 to 6; 6 may continue a word and then
/// begins no phrase.
RequiredPhrases random_phrases(Random& random) {
  RequiredPhrases required;
  auto continues = std::make_shared<std::vector<char>>(7, 0);
  const bool words = random.below(2) == 0;
  if (words) {
    (*continues)[6] = 1;
    required.continues_word = continues;
  }
  const auto groups = 1 + random.below(3);
  for (std::size_t g = 0; g < groups; ++g) {
    auto& group = required.groups.emplace_back();
    const auto phrases = 1 + random.below(2);
    for (std::size_t p = 0; p < phrases; ++p) {
      Phrase phrase{random_tokens(random, 1 + random.below(3), 4), random.below(2) == 0};
      if (words && phrase.tokens.front() == 6) phrase.tokens.front() = 4;
      group.push_back(phrase);
    }
  }
  if (random.below(3) == 0) required.groups.push_back(required.groups.front());
  return required;
}

TEST(PhraseAutomaton, AgreesWithTheDefinitionOnRandomOutputs) {
  Random random(17);
  int met = 0;
  for (int i = 0; i < 3000; ++i) {
    const RequiredPhrases required = random_phrases(random);
    const Tokens output = random_tokens(random, random.below(12), 4);
    const bool expected = test::contains(output, required);
    met += expected ? 1 : 0;
    ASSERT_EQ(missing_along(required, output).back() == 0, expected) << "case " << i;
  }
  EXPECT_GT(met, 500);
  EXPECT_LT(met, 2500);
}

TEST(PhraseAutomaton, AlwaysHasATokenThatReducesWhatIsMissing) {
  Random random(18);
  for (int i = 0; i < 3000; ++i) {
    PhraseAutomaton automaton(random_phrases(random));
    int32_t state = PhraseAutomaton::kStart;
    for (const auto token : random_tokens(random, 8, 4)) {
      const int64_t missing = automaton.missing(state);
      const auto advancing = automaton.advancing(state);
      const auto reduces = [&](text::TokenId next) {
        return automaton.missing(automaton.next(state, next)) < missing;
      };
      // next() may move the nodes, so the list is copied.
      const Tokens copy(advancing.begin(), advancing.end());
      ASSERT_TRUE(missing == 0 || std::ranges::any_of(copy, reduces)) << "case " << i;
      state = automaton.next(state, token);
    }
  }
}

}  // namespace
}  // namespace attend::decode
