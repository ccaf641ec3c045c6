#include "data/corpus_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "core/error.h"
#include "core/signal.h"
#include "data/corpus_cache.h"
#include "data/tokenizer_models.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CorpusReader : public ::testing::Test {
 protected:
  DataOptions train_on(const std::string& source, const std::string& target) {
    DataOptions options;
    options.train = {test::write_pairs(folder_, "x", source, target)};
    return options;
  }
  [[nodiscard]] TokenizerPair both() const { return {words_, words_}; }

  test::TempDir folder_;
  text::Tokenizer words_ = test::word_tokenizer(folder_);
};

TEST_F(CorpusReader, KeepsTheIdsOfEveryPair) {
  const auto text = read_training_text(train_on("a b\nc\n", "d\ne f g\n"), both());
  ASSERT_EQ(text.corpus.size(), 2);
  EXPECT_EQ(text.lines, 2);
  EXPECT_EQ(text.corpus.source(0), words_.encode("a b"));
  EXPECT_EQ(text.corpus.target(1), words_.encode("e f g"));
}

TEST_F(CorpusReader, KeepsTheSameInAMappedFile) {
  auto options = train_on("a b\nc\n\n", "d\ne f g\na\n");
  const auto links = folder_.write("x.links", "0-0 1-0\n0-2\n\n").string();
  const auto in_memory = read_training_text(options, both(), {links});
  options.storage = Storage::mmap;
  const auto mapped = read_training_text(options, both(), {links}, folder_.path());
  ASSERT_EQ(mapped.corpus.size(), 2);
  for (int64_t pair = 0; pair < 2; ++pair) {
    EXPECT_EQ(mapped.corpus.source(pair), in_memory.corpus.source(pair));
    EXPECT_EQ(mapped.corpus.target(pair), in_memory.corpus.target(pair));
    EXPECT_EQ(mapped.corpus.line(pair), in_memory.corpus.line(pair));
    std::vector<float> goals(9), expected(9);
    mapped.corpus.goals()->fill(pair, mapped.corpus.target_length(pair), goals.data(), 3);
    in_memory.corpus.goals()->fill(pair, mapped.corpus.target_length(pair), expected.data(), 3);
    EXPECT_EQ(goals, expected);
  }
}

TEST_F(CorpusReader, NeedsAFolderForAMappedFile) {
  auto options = train_on("a\n", "b\n");
  options.storage = Storage::mmap;
  EXPECT_THAT([&] { (void)read_training_text(options, both(), {}, folder_ / "none"); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("none"), HasSubstr("data.storage"))));
}

TEST_F(CorpusReader, SkipsPairsWithAnEmptySide) {
  const auto text = read_training_text(train_on("a\n\nc\n \ne\n", "a\nb\n\nd\ne\n"), both());
  ASSERT_EQ(text.corpus.size(), 2);
  EXPECT_EQ(text.corpus.line(1), 5);
  EXPECT_EQ(text.empty.count, 3);
  EXPECT_THAT(text.empty.first, EndsWith("x.source:2"));
}

TEST_F(CorpusReader, SkipsPairsOverTheLengthLimit) {
  auto options = train_on("a b\na b c\na\na\n", "a\na\na b\na b c\n");
  options.max_length = 2;
  const auto text = read_training_text(options, both());
  EXPECT_EQ(text.corpus.size(), 2);
  EXPECT_EQ(text.too_long.count, 2);
  EXPECT_THAT(text.too_long.first, EndsWith("x.source:2"));
}

TEST_F(CorpusReader, SkipsPairsOverTheRatio) {
  auto options = train_on("a b\na b c\na\na b\n", "a\na\na b c\na b c\n");
  options.max_ratio = 2.0;  // 2:1, 3:1, 1:3, 2:3
  const auto text = read_training_text(options, both());
  EXPECT_EQ(text.corpus.size(), 2);
  EXPECT_EQ(text.uneven.count, 2);
  EXPECT_THAT(text.uneven.first, EndsWith("x.source:2"));
}

TEST_F(CorpusReader, ReadsSeveralFilesAndCountsLinesOverThemAll) {
  auto options = train_on("a\nb\n", "a\nb\n");
  options.train.push_back(test::write_pairs(folder_, "y", "\nd\n", "c\nd\n"));
  const auto text = read_training_text(options, both());
  ASSERT_EQ(text.corpus.size(), 3);
  EXPECT_EQ(text.corpus.line(2), 4);
  EXPECT_EQ(text.corpus.source(2), words_.encode("d"));
  EXPECT_THAT(text.empty.first, EndsWith("y.source:1"));
}

TEST_F(CorpusReader, WarnsOncePerReasonWithCountAndFirstLine) {
  auto options = train_on("a\n\na b c\na b c d\n", "a\nb\nc\nd\n");
  options.max_length = 2;
  ::testing::internal::CaptureStderr();
  (void)read_training_text(options, both());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("skipped 1 training pair with an empty side ("));
  EXPECT_THAT(log, HasSubstr("skipped 2 training pairs longer than data.max_length=2 pieces ("));
  EXPECT_THAT(log, HasSubstr("x.source:3)"));
}

TEST_F(CorpusReader, SaysWhyNoPairIsLeft) {
  auto options = train_on("a b\n\n", "a\nb\n");
  options.max_length = 1;
  EXPECT_THAT([&] { (void)read_training_text(options, both()); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("none of 2 training pairs"),
                                             HasSubstr("1 with an empty side"),
                                             HasSubstr("1 longer than"))));
}

TEST_F(CorpusReader, ReportsDifferentLineCounts) {
  EXPECT_THAT(
      [&] { (void)read_training_text(train_on("a\nb\n", "a\n"), both()); },
      ThrowsMessage<DataError>(AllOf(HasSubstr("x.source has 2"), HasSubstr("x.target has 1"))));
}

// Symptom: text in Shift_JIS trained a model of replacement characters, with a warning among
// others.
TEST_F(CorpusReader, RefusesAnotherEncoding) {
  const std::string japanese = "\x93\xFA\x96{\n";
  EXPECT_THAT(
      [&] { (void)read_training_text(train_on("a\nb\nc\n", "a\n" + japanese + japanese), both()); },
      ThrowsMessage<DataError>(
          AllOf(HasSubstr("x.target: 2 of 3 lines are not UTF-8 (first: line 2)"),
                HasSubstr("iconv -f ENCODING -t UTF-8"))));
  EXPECT_EQ(read_training_text(train_on("a\nb\n", "a\n" + japanese), both()).corpus.size(), 2)
      << "half of the lines";
}

class SeveralSources : public CorpusReader {
 protected:
  /// Adds a second source to the last of options.train.
  void add_source(DataOptions& options, const std::string& text) {
    options.train.back().sources.push_back({"two", folder_.write("x.two", text).string()});
  }
};

TEST_F(SeveralSources, AreReadSideBySide) {
  auto options = train_on("a b\nc\n", "d\ne f g\n");
  add_source(options, "h\ni j\n");
  const auto text = read_training_text(options, both());
  ASSERT_EQ(text.corpus.size(), 2);
  EXPECT_EQ(text.corpus.sources(), 2U);
  EXPECT_EQ(text.corpus.source(0, 0), words_.encode("a b"));
  EXPECT_EQ(text.corpus.source(1, 1), words_.encode("i j"));
  EXPECT_EQ(text.corpus.target(1), words_.encode("e f g"));
}

TEST_F(SeveralSources, LeaveOutAnExampleForAnyOfThem) {
  auto options = train_on("a\nb\nc\nd e\n", "a\nb\nc\nd e\n");
  add_source(options, "a\n\nc c c c\nd\n");
  options.max_length = 3;
  options.max_ratio = 1.5;
  const auto text = read_training_text(options, both());
  EXPECT_EQ(text.corpus.size(), 1);
  EXPECT_EQ(text.empty.count, 1);
  EXPECT_EQ(text.too_long.count, 1);
  EXPECT_EQ(text.uneven.count, 1);
}

TEST_F(SeveralSources, WithDifferentLineCountsAreReported) {
  auto options = train_on("a\nb\n", "a\nb\n");
  add_source(options, "a\n");
  EXPECT_THAT(
      [&] { (void)read_training_text(options, both()); },
      ThrowsMessage<DataError>(AllOf(HasSubstr("x.two has 1"), HasSubstr("x.target has 2"))));
}

/// Tests that raise SIGTERM.
class RequestedStop : public CorpusReader {
 protected:
  RequestedStop() {
    install_signal_handlers();
    options_ = train_on("a\nb\n", "a\nb\n");
  }
  ~RequestedStop() override {
    clear_requested_stop();
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  }

  DataOptions options_;
};

// Reading takes 15 seconds for 150,000 pairs and hours for a hundred million.
TEST_F(RequestedStop, DoesNotWaitForTheEndOfTheText) {
  std::raise(SIGTERM);
  EXPECT_THROW((void)read_training_text(options_, both()), Stopped);
}

TEST_F(RequestedStop, IsSeenBetweenTokenizerTrainingAndTheCorpus) {
  text::TokenizerOptions tokenizer;
  tokenizer.type = text::TokenizerType::character;
  std::raise(SIGTERM);
  EXPECT_THROW((void)tokenizer_models(tokenizer, options_), Stopped);
}

TEST_F(RequestedStop, EndsWritingAndReadingOfKeptIds) {
  const auto text = read_training_text(options_, both());
  const auto file = folder_ / "run.tokens";
  const std::string key = corpus_key(options_, {});
  save_corpus(file, key, text);
  std::raise(SIGTERM);
  EXPECT_THROW((void)load_corpus(file, {key, 100, 1, false}), Stopped);
  EXPECT_THROW(save_corpus(folder_ / "other.tokens", key, text), Stopped);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "other.tokens"));
}

/// 20,000 pairs, five portions.
class ManyThreads : public CorpusReader {
 protected:
  ManyThreads() {
    std::string source, target;
    for (int i = 0; i < 20'000; ++i) {
      source += i % 7 == 0 ? "a b c d\n" : (i % 3 == 0 ? "e\n" : "f g a b c d e f g h i j a b\n");
      target += i % 5 == 0 ? "\n" : (i % 2 == 0 ? "a\n" : "h i j\n");
    }
    options_ = train_on(source, target);
  }

  /// The bytes of the token file of the text.
  [[nodiscard]] std::string bytes_with(int64_t threads) const {
    const auto file = folder_ / "x.tokens";
    save_corpus(file, "key", read_training_text(options_, both(), {}, {}, {threads, {}}));
    return read_file(file);
  }

  DataOptions options_;
};

TEST_F(ManyThreads, GiveTheSameBytes) {
  const std::string alone = bytes_with(1);
  EXPECT_EQ(bytes_with(2), alone);
  EXPECT_EQ(bytes_with(5), alone);
}

TEST_F(ManyThreads, TellHowFarTheyAre) {
  std::vector<ReadingProgress> seen;
  const Reading reading{2, [&](const ReadingProgress& report) { seen.push_back(report); }};
  (void)read_training_text(options_, both(), {}, {}, reading);
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_EQ(seen[0].lines, 4096);
  EXPECT_EQ(seen[4].lines, 20'000);
  EXPECT_LT(seen[0].share, 0.5);
  EXPECT_GT(seen[1].share, seen[0].share);
  EXPECT_DOUBLE_EQ(seen[4].share, 1.0);
}

TEST_F(ManyThreads, StopAfterThePortionInWork) {
  install_signal_handlers();
  int portions = 0;
  const Reading reading{3, [&](const ReadingProgress&) {
                          if (++portions == 1) std::raise(SIGTERM);
                        }};
  EXPECT_THROW((void)read_training_text(options_, both(), {}, {}, reading), Stopped);
  EXPECT_EQ(portions, 1);
  clear_requested_stop();
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
}

}  // namespace
}  // namespace attend::data
