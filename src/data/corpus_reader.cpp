#include "data/corpus_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>
#include <optional>

#include "core/error.h"
#include "core/log.h"
#include "core/random.h"
#include "data/encoded_side.h"
#include "data/guide_reader.h"
#include "data/pair_reader.h"

namespace attend::data {
namespace {

using Ids = std::vector<text::TokenId>;

/// Consecutive pairs of one file pair.
struct Portion {
  const PairFiles* files = nullptr;
  int64_t lines_before = 0;  // lines of the files before this one
  std::vector<std::string> source = {};
  std::vector<std::string> target = {};
  std::vector<align::Links> links = {};  // empty without a file of links
  std::vector<int64_t> lines = {};       // counted over all files

  [[nodiscard]] std::string place(std::size_t i) const {
    return fmt::format("{}:{}", files->source, lines[i] - lines_before);
  }
};

/// The files of a training text.
struct TrainingFiles {
  const std::vector<PairFiles>& pairs;
  const std::vector<std::string>& links;  // empty, or one for each of `pairs`
};

/// Hands out the text of one pair of files in portions of a bounded number of pairs. Returns the
/// number of pairs.
int64_t read_portions(const PairFiles& files, const std::string* links, int64_t lines_before,
                      const std::function<void(const Portion&)>& use) {
  constexpr std::size_t kPairs = 4096;
  constexpr std::size_t kBytes = std::size_t{1} << 26;  // fewer pairs where they are very long
  std::size_t bytes = 0;
  PairReader reader(files);
  std::optional<GuideReader> guide;
  if (links != nullptr) guide.emplace(*links, files);
  Portion portion{&files, lines_before};
  while (auto pair = reader.next()) {
    if (guide) portion.links.push_back(guide->next(*pair));
    bytes += pair->source.size() + pair->target.size();
    portion.source.push_back(std::move(pair->source));
    portion.target.push_back(std::move(pair->target));
    portion.lines.push_back(lines_before + reader.line_number());
    if (portion.lines.size() < kPairs && bytes < kBytes) continue;
    use(portion);
    portion = {&files, lines_before};
    bytes = 0;
  }
  if (guide) guide->finish();
  if (!portion.lines.empty()) use(portion);
  reader.warn_about_repairs();
  return reader.line_number();
}

/// The same for all files.
int64_t for_each_portion(const TrainingFiles& files,
                         const std::function<void(const Portion&)>& use) {
  int64_t lines = 0;
  for (std::size_t i = 0; i < files.pairs.size(); ++i) {
    const std::string* links = files.links.empty() ? nullptr : &files.links.at(i);
    lines += read_portions(files.pairs[i], links, lines, use);
  }
  return lines;
}

struct EncodedPortion {
  EncodedSide source;
  EncodedSide target;
};

/// The two sides at the same time.
EncodedPortion encode(const Portion& portion, const TokenizerPair& tokenizers, int64_t max_length) {
  const bool with_words = !portion.links.empty();
  auto source = std::async(std::launch::async, [&] {
    return encode_side(tokenizers.source, portion.source, with_words, max_length);
  });
  auto target = encode_side(tokenizers.target, portion.target, with_words, max_length);
  return {source.get(), std::move(target)};
}

/// A corpus in the making.
struct GrowingCorpus {
  ParallelCorpus pairs;
  std::optional<AttentionGoals> goals;

  /// Pair `i` of a portion.
  void add(const Portion& portion, const EncodedPortion& encoded, std::size_t i) {
    pairs.add(encoded.source.ids[i], encoded.target.ids[i], portion.lines[i]);
    if (goals) goals->add(portion.links[i], encoded.source.words[i], encoded.target.words[i]);
  }

  [[nodiscard]] ParallelCorpus finish() && {
    if (goals) pairs.set_goals(std::move(*goals));
    return std::move(pairs);
  }
};

GrowingCorpus start_corpus(const DataOptions& options, const TokenizerPair& tokenizers,
                           bool with_goals, const std::filesystem::path& folder) {
  const auto memory = make_chunks(options.storage, folder);
  const int64_t vocabulary = std::max(tokenizers.source.size(), tokenizers.target.size());
  GrowingCorpus corpus{ParallelCorpus(vocabulary, memory), {}};
  if (with_goals) corpus.goals.emplace(options.max_length, memory);
  return corpus;
}

bool is_uneven(std::size_t a, std::size_t b, double max_ratio) {
  const auto [shorter, longer] = std::minmax(a, b);
  return max_ratio > 0.0 && static_cast<double>(longer) > max_ratio * static_cast<double>(shorter);
}

/// The count of the reason to leave this pair out, or null.
Skipped* reason_to_skip(TrainingText& text, const DataOptions& options, const Ids& source,
                        const Ids& target) {
  if (source.empty() || target.empty()) return &text.empty;
  const auto most = static_cast<std::size_t>(options.max_length);
  if (source.size() > most || target.size() > most) return &text.too_long;
  if (is_uneven(source.size(), target.size(), options.max_ratio)) return &text.uneven;
  return nullptr;
}

void add_portion(TrainingText& text, GrowingCorpus& corpus, const DataOptions& options,
                 const Portion& portion, const EncodedPortion& encoded) {
  for (std::size_t i = 0; i < portion.lines.size(); ++i) {
    const Ids& source = encoded.source.ids[i];
    const Ids& target = encoded.target.ids[i];
    if (Skipped* skipped = reason_to_skip(text, options, source, target)) {
      if (skipped->count++ == 0) skipped->first = portion.place(i);
    } else {
      corpus.add(portion, encoded, i);
    }
  }
}

void warn(const Skipped& skipped, const std::string& cause) {
  if (skipped.count == 0) return;
  log::warning("skipped {} training pair{} {} ({} first)", skipped.count,
               skipped.count == 1 ? "" : "s", cause, skipped.first);
}

/// Only the pairs of `portion` that are the next ones of `corpus`, from its pair number `next` on.
Portion kept_pairs(const Portion& portion, const ParallelCorpus& corpus, int64_t next) {
  Portion kept{portion.files, portion.lines_before};
  for (std::size_t i = 0; i < portion.lines.size() && next < corpus.size(); ++i) {
    if (portion.lines[i] != corpus.line(next)) continue;
    kept.source.push_back(portion.source[i]);
    kept.target.push_back(portion.target[i]);
    if (!portion.links.empty()) kept.links.push_back(portion.links[i]);
    kept.lines.push_back(portion.lines[i]);
    ++next;
  }
  return kept;
}

/// Both sides of `kept`; `number` counts portions.
EncodedPortion sample(const Portion& kept, const DataOptions& options,
                      const TokenizerPair& tokenizers, double alpha, uint64_t seed,
                      uint64_t number) {
  const bool with_words = !kept.links.empty();
  const auto sampled = [&](const text::Tokenizer& tokenizer, const auto& lines, const char* name) {
    return sample_side(tokenizer, lines, with_words,
                       {alpha, stream_seed(seed, name, number), options.max_length});
  };
  return {sampled(tokenizers.source, kept.source, "source"),
          sampled(tokenizers.target, kept.target, "target")};
}

}  // namespace

void report_skipped(const TrainingText& text, const DataOptions& options) {
  warn(text.empty, "with an empty side");
  warn(text.too_long, fmt::format("longer than data.max_length={} pieces", options.max_length));
  warn(text.uneven,
       fmt::format("with lengths further apart than data.max_ratio={}", options.max_ratio));
  if (text.corpus.size() > 0) return;
  throw DataError(
      fmt::format("no training pair is left of {} in {}{}: {} with an empty side, {} longer than "
                  "data.max_length={}, {} with "
                  "lengths further apart than data.max_ratio={}",
                  text.lines, options.train.empty() ? "data.train" : options.train.front().source,
                  options.train.size() > 1 ? " and other files" : "", text.empty.count,
                  text.too_long.count, options.max_length, text.uneven.count, options.max_ratio));
}

TrainingText read_training_text(const DataOptions& options, const TokenizerPair& tokenizers,
                                const std::vector<std::string>& links,
                                const std::filesystem::path& folder) {
  GrowingCorpus corpus = start_corpus(options, tokenizers, !links.empty(), folder);
  TrainingText text{ParallelCorpus(0), 0, {}, {}, {}};
  text.lines = for_each_portion({options.train, links}, [&](const Portion& portion) {
    add_portion(text, corpus, options, portion, encode(portion, tokenizers, options.max_length));
  });
  text.corpus = std::move(corpus).finish();
  report_skipped(text, options);
  return text;
}

ParallelCorpus resample(const ParallelCorpus& corpus, const DataOptions& options,
                        const TokenizerPair& tokenizers, double alpha, uint64_t seed,
                        const std::vector<std::string>& links,
                        const std::filesystem::path& folder) {
  GrowingCorpus sampled = start_corpus(options, tokenizers, !links.empty(), folder);
  uint64_t portions = 0;
  for_each_portion({options.train, links}, [&](const Portion& portion) {
    const Portion kept = kept_pairs(portion, corpus, sampled.pairs.size());
    const auto encoded = sample(kept, options, tokenizers, alpha, seed, portions++);
    for (std::size_t i = 0; i < kept.lines.size(); ++i) sampled.add(kept, encoded, i);
  });
  if (sampled.pairs.size() != corpus.size()) {
    throw DataError(options.train.front().source, "the training text changed while it was in use");
  }
  return std::move(sampled).finish();
}

}  // namespace attend::data
