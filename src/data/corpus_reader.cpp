#include "data/corpus_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>

#include "core/error.h"
#include "core/log.h"
#include "core/random.h"
#include "data/pair_reader.h"

namespace attend::data {
namespace {

using Ids = std::vector<text::TokenId>;

/// Consecutive pairs of one file pair.
struct Portion {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<int64_t> lines;  // counted over all files
  const PairFiles* files = nullptr;
  int64_t lines_before = 0;  // lines of the files before this one

  [[nodiscard]] std::string place(std::size_t i) const {
    return fmt::format("{}:{}", files->source, lines[i] - lines_before);
  }
};

/// Hands out the text of all files in portions of a bounded number of pairs. Returns the number of
/// pairs.
int64_t for_each_portion(const std::vector<PairFiles>& train,
                         const std::function<void(const Portion&)>& use) {
  constexpr std::size_t kPairs = 4096;
  int64_t lines = 0;
  for (const PairFiles& files : train) {
    PairReader reader(files);
    const int64_t lines_before = lines;
    Portion portion{{}, {}, {}, &files, lines_before};
    while (auto pair = reader.next()) {
      portion.source.push_back(std::move(pair->source));
      portion.target.push_back(std::move(pair->target));
      portion.lines.push_back(++lines);
      if (portion.lines.size() < kPairs) continue;
      use(portion);
      portion = {{}, {}, {}, &files, lines_before};
    }
    if (!portion.lines.empty()) use(portion);
    reader.warn_about_repairs();
  }
  return lines;
}

std::vector<Ids> encode_all(const text::Tokenizer& tokenizer,
                            const std::vector<std::string>& lines) {
  std::vector<Ids> ids;
  ids.reserve(lines.size());
  for (const std::string& line : lines) ids.push_back(tokenizer.encode(line));
  return ids;
}

struct EncodedPortion {
  std::vector<Ids> source;
  std::vector<Ids> target;
};

/// The two sides at the same time.
EncodedPortion encode(const Portion& portion, const TokenizerPair& tokenizers) {
  auto source =
      std::async(std::launch::async, [&] { return encode_all(tokenizers.source, portion.source); });
  auto target = encode_all(tokenizers.target, portion.target);
  return {source.get(), std::move(target)};
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

void add_portion(TrainingText& text, const DataOptions& options, const Portion& portion,
                 const TokenizerPair& tokenizers) {
  const auto encoded = encode(portion, tokenizers);
  for (std::size_t i = 0; i < portion.lines.size(); ++i) {
    if (Skipped* skipped = reason_to_skip(text, options, encoded.source[i], encoded.target[i])) {
      if (skipped->count++ == 0) skipped->first = portion.place(i);
    } else {
      text.corpus.add(encoded.source[i], encoded.target[i], portion.lines[i]);
    }
  }
}

void warn(const Skipped& skipped, const std::string& cause) {
  if (skipped.count == 0) return;
  log::warning("skipped {} training pair{} {} ({} first)", skipped.count,
               skipped.count == 1 ? "" : "s", cause, skipped.first);
}

void report(const TrainingText& text, const DataOptions& options) {
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

int64_t larger_vocabulary(const TokenizerPair& tokenizers) {
  return std::max(tokenizers.source.size(), tokenizers.target.size());
}

/// Only the pairs of `portion` that are the next ones of `corpus`, from its pair number `next` on.
Portion kept_pairs(const Portion& portion, const ParallelCorpus& corpus, int64_t next) {
  Portion kept{{}, {}, {}, portion.files, portion.lines_before};
  for (std::size_t i = 0; i < portion.lines.size() && next < corpus.size(); ++i) {
    if (portion.lines[i] != corpus.line(next)) continue;
    kept.source.push_back(portion.source[i]);
    kept.target.push_back(portion.target[i]);
    kept.lines.push_back(portion.lines[i]);
    ++next;
  }
  return kept;
}

/// Where sampling made a line too long, its usual pieces take their place.
void restore_lengths(std::vector<Ids>& sampled, const std::vector<std::string>& lines,
                     const text::Tokenizer& tokenizer, int64_t max_length) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (sampled[i].size() > static_cast<std::size_t>(max_length))
      sampled[i] = tokenizer.encode(lines[i]);
  }
}

}  // namespace

TrainingText read_training_text(const DataOptions& options, const TokenizerPair& tokenizers) {
  TrainingText text{ParallelCorpus(larger_vocabulary(tokenizers)), 0, {}, {}, {}};
  text.lines = for_each_portion(options.train, [&](const Portion& portion) {
    add_portion(text, options, portion, tokenizers);
  });
  report(text, options);
  return text;
}

ParallelCorpus resample(const ParallelCorpus& corpus, const DataOptions& options,
                        const TokenizerPair& tokenizers, double alpha, uint64_t seed) {
  ParallelCorpus sampled(larger_vocabulary(tokenizers));
  uint64_t portions = 0;
  for_each_portion(options.train, [&](const Portion& portion) {
    const Portion kept = kept_pairs(portion, corpus, sampled.size());
    auto source =
        tokenizers.source.encode_sampled(kept.source, alpha, stream_seed(seed, "source", portions));
    auto target =
        tokenizers.target.encode_sampled(kept.target, alpha, stream_seed(seed, "target", portions));
    restore_lengths(source, kept.source, tokenizers.source, options.max_length);
    restore_lengths(target, kept.target, tokenizers.target, options.max_length);
    for (std::size_t i = 0; i < kept.lines.size(); ++i)
      sampled.add(source[i], target[i], kept.lines[i]);
    ++portions;
  });
  if (sampled.size() != corpus.size()) {
    throw DataError(options.train.front().source, "the training text changed while it was in use");
  }
  return sampled;
}

}  // namespace attend::data
