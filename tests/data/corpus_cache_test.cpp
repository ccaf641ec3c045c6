#include "data/corpus_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

class CorpusCache : public ::testing::Test {
 protected:
  CorpusCache() { options_.train = {test::write_pairs(folder_, "x", "a b\nc\n\n", "d\ne f\ng\n")}; }

  [[nodiscard]] std::string key() const { return corpus_key(options_, {"a model"}); }
  [[nodiscard]] TrainingText read() const { return read_training_text(options_, {words_, words_}); }
  [[nodiscard]] std::optional<TrainingText> load(const std::string& key) const {
    return load_corpus(file_, {key, words_.size(), count_sources(options_), false});
  }

  test::TempDir folder_;
  text::Tokenizer words_ = test::word_tokenizer(folder_);
  DataOptions options_;
  std::filesystem::path file_ = folder_.path() / "run.tokens";
};

TEST_F(CorpusCache, GivesBackWhatWasRead) {
  const TrainingText text = read();
  save_corpus(file_, key(), text);
  const auto kept = load(key());
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->lines, 3);
  EXPECT_EQ(kept->empty.count, 1);
  EXPECT_EQ(kept->empty.first, text.empty.first);
  EXPECT_EQ(kept->too_long.count, 0);
  ASSERT_EQ(kept->corpus.size(), 2);
  for (int64_t pair = 0; pair < 2; ++pair) {
    EXPECT_EQ(kept->corpus.source(pair), text.corpus.source(pair));
    EXPECT_EQ(kept->corpus.target(pair), text.corpus.target(pair));
    EXPECT_EQ(kept->corpus.line(pair), text.corpus.line(pair));
  }
}

TEST_F(CorpusCache, IsEmptyWithoutAFile) {
  EXPECT_FALSE(load(key()));
}

TEST_F(CorpusCache, IsNotUsedForAnotherKey) {
  save_corpus(file_, key(), read());
  EXPECT_FALSE(load(key() + "x"));
}

TEST_F(CorpusCache, KeyFollowsTextTokenizerAndOptions) {
  const std::string before = key();
  EXPECT_EQ(key(), before);
  EXPECT_NE(corpus_key(options_, {"b model"}), before);
  for (const auto& change : std::vector<std::function<void(DataOptions&)>>{
           [](DataOptions& options) { options.max_length = 7; },
           [](DataOptions& options) { options.max_ratio = 2.0; },
           [](DataOptions& options) { options.lowercase = true; },
           [](DataOptions& options) { options.train.push_back(options.train.front()); }}) {
    DataOptions changed = options_;
    change(changed);
    EXPECT_NE(corpus_key(changed, {"a model"}), before);
  }
}

TEST_F(CorpusCache, KeyFollowsTheTimeOfChange) {
  const std::string before = key();
  const auto time = std::filesystem::last_write_time(options_.train[0].target);
  std::filesystem::last_write_time(options_.train[0].target, time + std::chrono::seconds(1));
  EXPECT_NE(key(), before);
}

// Another text of the same length and modification time, as `touch -r` and `cp -p` produce.
TEST_F(CorpusCache, KeyFollowsATextWhoseTimeWasSetBack) {
  const std::string file = options_.train[0].target;
  const std::string before = key();
  const auto time = std::filesystem::last_write_time(file);
  (void)folder_.write("x.target", "g\ne f\nd\n");
  std::filesystem::last_write_time(file, time);
  ASSERT_EQ(std::filesystem::last_write_time(file), time);
  EXPECT_NE(key(), before);
}

TEST_F(CorpusCache, GivesBackEverySource) {
  options_.train[0].sources.push_back({"two", folder_.write("x.two", "h\ni j\nb\n").string()});
  const TrainingText text = read();
  save_corpus(file_, key(), text);
  const auto kept = load(key());
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->corpus.size(), 2);
  for (std::size_t side = 0; side < 2; ++side)
    EXPECT_EQ(kept->corpus.source(1, side), text.corpus.source(1, side));
  EXPECT_EQ(kept->corpus.target(1), text.corpus.target(1));
}

TEST_F(CorpusCache, KeyFollowsTheNamesOfTheSources) {
  const std::string before = key();
  options_.train[0].sources[0].name = "en";
  EXPECT_NE(key(), before);
}

TEST_F(CorpusCache, RepeatsTheWarningOfIllFormedText) {
  (void)folder_.write("x.source", "a b\nc\xFF\n\n");
  testing::internal::CaptureStderr();
  save_corpus(file_, key(), read());
  const std::string first = testing::internal::GetCapturedStderr();
  ASSERT_THAT(first, testing::HasSubstr("x.source: invalid UTF-8 in 1 line (first: line 2)"));
  const auto kept = load(key());
  ASSERT_TRUE(kept);
  testing::internal::CaptureStderr();
  report_skipped(*kept, options_);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("x.source: invalid UTF-8 in 1 line (first: line 2)"));
}

TEST_F(CorpusCache, DoesNotReplaceAFileThatIsNoTokenCache) {
  EXPECT_TRUE(may_keep_corpus_in(file_));
  save_corpus(file_, key(), read());
  EXPECT_TRUE(may_keep_corpus_in(file_));
  EXPECT_FALSE(may_keep_corpus_in(options_.train[0].sources[0].path));
  EXPECT_FALSE(may_keep_corpus_in(folder_.write("empty", "")));
  EXPECT_FALSE(may_keep_corpus_in(folder_.path()));
}

TEST_F(CorpusCache, IsNotUsedIfDamaged) {
  save_corpus(file_, key(), read());
  const std::string whole = read_file(file_);
  testing::internal::CaptureStderr();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    write_file_atomically(file_, damaged);
    EXPECT_FALSE(load(key())) << "byte " << i;
    write_file_atomically(file_, whole.substr(0, i));
    EXPECT_FALSE(load(key())) << "cut at " << i;
  }
  write_file_atomically(file_, whole + "x");
  EXPECT_FALSE(load(key()));
  testing::internal::GetCapturedStderr();
  write_file_atomically(file_, whole);
  EXPECT_TRUE(load(key()));
}

/// 300,000 pairs, so that ids, places and lengths span several blocks each.
TrainingText large_text(int64_t vocabulary) {
  TrainingText text{ParallelCorpus(vocabulary)};
  for (int64_t i = 0; i < 300'000; ++i) {
    const auto id = static_cast<text::TokenId>(4 + i % (vocabulary - 4));
    const std::vector<text::TokenId> source(3 + static_cast<std::size_t>(i % 5), id);
    text.corpus.add(source, std::vector<text::TokenId>(4, 4), i + 1);
  }
  text.lines = 300'000;
  return text;
}

/// Parameters: vocabulary size, and true if the ids stay in the file.
class TokenFile : public CorpusCache, public ::testing::WithParamInterface<std::pair<int, bool>> {};

TEST_P(TokenFile, HoldsManyBlocksOfIdsOfAnySize) {
  const auto [vocabulary, leave_ids] = GetParam();
  const TrainingText text = large_text(vocabulary);
  save_corpus(file_, "key", text);
  const uint64_t id_bytes = vocabulary > 65536 ? 4 : 2;
  const uint64_t arrays = 300'000U * (16 + 4 + 4) + 300'000U * 9 * id_bytes;
  EXPECT_GE(std::filesystem::file_size(file_), arrays);
  EXPECT_LT(std::filesystem::file_size(file_), arrays + 4096) << "the index is small";
  const auto kept = load_corpus(file_, {"key", vocabulary, 1, leave_ids});
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->corpus.size(), 300'000);
  for (int64_t pair = 0; pair < 300'000; pair += 499) {
    ASSERT_EQ(kept->corpus.source(pair), text.corpus.source(pair));
    ASSERT_EQ(kept->corpus.target(pair), text.corpus.target(pair));
    ASSERT_EQ(kept->corpus.line(pair), pair + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, TokenFile,
                         ::testing::Values(std::pair(8000, false), std::pair(8000, true),
                                           std::pair(65536, true), std::pair(70000, false),
                                           std::pair(70000, true)));

TEST_F(CorpusCache, IdsInTheFileShowTheirDamageWhenTheBlockIsRead) {
  save_corpus(file_, "key", large_text(8000));
  std::string bytes = read_file(file_);
  const std::size_t ids = 16 + 300'000 * (16 + 8);
  bytes[ids + (std::size_t{1} << 21)] ^= 1;  // in the second block of ids
  write_file_atomically(file_, bytes);
  EXPECT_FALSE(load_corpus(file_, {"key", 8000, 1, false}));
  const auto kept = load_corpus(file_, {"key", 8000, 1, true});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->corpus.target(0).size(), 4U);
  EXPECT_THAT([&] { (void)kept->corpus.target(299'999 / 2); },
              testing::ThrowsMessage<DataError>(
                  AllOf(testing::HasSubstr("run.tokens"), testing::HasSubstr("damaged"))));
}

/// Writes over a file in place, as `cp` does, at a later time.
void overwrite(const std::filesystem::path& file, const std::string& bytes) {
  const auto before = std::filesystem::last_write_time(file);
  std::ofstream(file, std::ios::binary) << bytes;
  std::filesystem::last_write_time(file, before + std::chrono::seconds(1));
}

// Regression: SIGBUS killed the server or the training that had the file mapped.
TEST_F(CorpusCache, AFileThatIsCutWhileItIsInUseIsReported) {
  save_corpus(file_, "key", large_text(8000));
  const auto kept = load_corpus(file_, {"key", 8000, 1, true});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->corpus.target(0).size(), 4U);
  overwrite(file_, "attend corpus");
  for (const int64_t pair : {int64_t{0}, int64_t{299'999}}) {
    EXPECT_THAT([&] { (void)kept->corpus.target(pair); },
                testing::ThrowsMessage<DataError>(testing::HasSubstr("overwritten")));
  }
  EXPECT_EQ(kept->corpus.line(299'999), 300'000) << "held in memory";
}

TEST_F(CorpusCache, OtherIdsWrittenOverTheFileAreNotTakenForItsOwn) {
  save_corpus(file_, "key", large_text(8000));
  const auto kept = load_corpus(file_, {"key", 8000, 1, true});
  ASSERT_TRUE(kept);
  (void)kept->corpus.target(0);  // its block has been checked
  std::string bytes = read_file(file_);
  bytes[16 + 300'000 * (16 + 8)] ^= 1;
  overwrite(file_, bytes);
  EXPECT_THROW((void)kept->corpus.source(0), DataError);
}

TEST_F(CorpusCache, AFileReplacedByANewOneIsReadToItsEnd) {
  const TrainingText text = large_text(8000);
  save_corpus(file_, "key", text);
  const auto kept = load_corpus(file_, {"key", 8000, 1, true});
  ASSERT_TRUE(kept);
  write_file_atomically(file_, "another");
  EXPECT_EQ(kept->corpus.target(299'999), text.corpus.target(299'999));
}

TEST_F(CorpusCache, RefusesIdsInTheFileBeyondTheVocabulary) {
  const TrainingText text = large_text(8000);
  save_corpus(file_, "key", text);
  const auto kept = load_corpus(file_, {"key", 7999, 1, true});
  ASSERT_TRUE(kept);
  const auto read_all = [&] {
    for (int64_t pair = 0; pair < kept->corpus.size(); ++pair) (void)kept->corpus.source(pair);
  };
  EXPECT_THAT(read_all, testing::ThrowsMessage<DataError>(testing::HasSubstr("damaged")));
}

TEST_F(CorpusCache, RefusesIdsBeyondTheVocabulary) {
  save_corpus(file_, "key", large_text(8000));
  EXPECT_FALSE(load_corpus(file_, {"key", 7999, 1, false}));
}

TEST_F(CorpusCache, KeepsTheTokenizersBesideTheIds) {
  const std::vector<std::string> models = {"one", std::string("t\0o", 3)};
  save_corpus(file_, key(), read(), {"their key", models});
  EXPECT_EQ(load_models(file_, "their key"), models);
  EXPECT_THAT(load_models(file_, "another key"), testing::IsEmpty());
  EXPECT_THAT(load_models(folder_ / "none", "their key"), testing::IsEmpty());
  EXPECT_TRUE(load(key()));
}

TEST_F(CorpusCache, TokenizerKeyFollowsWhatTrainingLooksAt) {
  text::TokenizerOptions tokenizer;
  const std::string before = tokenizer_key(options_, tokenizer);
  EXPECT_EQ(tokenizer_key(options_, tokenizer), before);
  tokenizer.sampling = 0.1;  // does not affect the model
  EXPECT_EQ(tokenizer_key(options_, tokenizer), before);
  tokenizer.vocabulary = 9;
  EXPECT_NE(tokenizer_key(options_, tokenizer), before);
  text::TokenizerOptions with_bytes;
  with_bytes.byte_fallback = true;
  EXPECT_NE(tokenizer_key(options_, with_bytes), before);
  DataOptions augmented = options_;
  augmented.augment.two_sentences = 0.5;
  EXPECT_EQ(tokenizer_key(augmented, {}), before);
  augmented.augment.typos = 0.1;
  EXPECT_NE(tokenizer_key(augmented, {}), before);
  DataOptions tagged = options_;
  tagged.train[0].tag = "<bt>";
  EXPECT_NE(tokenizer_key(tagged, {}), before);
  // Regression: a run with a separator took the cached tokenizer of an earlier run without one,
  // which has no piece for the separator.
  DataOptions separated = options_;
  separated.segments.separator = "|||";
  EXPECT_NE(tokenizer_key(separated, {}), before);
}

TEST_F(CorpusCache, KeyNeedsTheText) {
  options_.train[0].sources[0].path = "missing";
  EXPECT_THROW(key(), DataError);
}

}  // namespace
}  // namespace attend::data
