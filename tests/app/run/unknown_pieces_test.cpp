// Training text that the tokenizer does not know.
#include "app/run/unknown_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"

namespace attend::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Sources of four pieces, `unknown` of them unknown; targets without unknown pieces.
data::ParallelCorpus corpus_with(int64_t unknown) {
  data::ParallelCorpus corpus(100);
  std::vector<text::TokenId> source(4, 7);
  std::fill_n(source.begin(), unknown, text::kUnk);
  const std::vector<text::TokenId> target = {8, 9};
  for (int64_t line = 1; line <= 25; ++line) corpus.add(source, target, line);
  return corpus;
}

std::string log_of(const data::ParallelCorpus& corpus) {
  testing::internal::CaptureStderr();
  check_unknown_pieces(corpus, 0.5);
  return testing::internal::GetCapturedStderr();
}

TEST(UnknownPieces, AreCountedOnEachSide) {
  EXPECT_THAT(
      log_of(corpus_with(1)),
      AllOf(HasSubstr("unknown pieces: source 25.00 %, target 0.00 %"),
            HasSubstr("25.0 % of the source pieces"), Not(HasSubstr("of the target pieces"))));
}

TEST(UnknownPieces, GiveNoWarningIfThereAreNone) {
  EXPECT_THAT(log_of(corpus_with(0)), Not(HasSubstr("of the source pieces")));
}

TEST(UnknownPieces, AreRefusedAboveTheLimit) {
  try {
    check_unknown_pieces(corpus_with(3), 0.5);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("75.0 % of the source pieces"),
                                    HasSubstr("data.max_unknown=0.5 allows 50 %")));
  }
  EXPECT_NO_THROW(check_unknown_pieces(corpus_with(3), 1.0));
  EXPECT_NO_THROW(check_unknown_pieces(corpus_with(2), 0.5));
}

}  // namespace
}  // namespace attend::app
