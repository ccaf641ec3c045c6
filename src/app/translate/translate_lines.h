#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/lines/line_meter.h"
#include "app/lines/line_shard.h"
#include "app/lines/line_source.h"
#include "app/translate/minimum_risk.h"
#include "app/translate/output_terms.h"
#include "app/translate/translator.h"
#include "app/translate/word_links.h"
#include "core/file.h"
#include "decode/options.h"

namespace attend::app {

/// How to treat a line longer than data.max_length pieces. Both log a warning.
enum class LongLines {
  kTruncate,  ///< only its beginning is translated
  kSkip,      ///< it gets an empty translation
};

struct TranslateLinesOptions {
  decode::SearchOptions search;
  /// Reranks the search.n_best translations of a line; unset: keep their order.
  std::optional<MinimumRiskOptions> risk = {};
  decode::AttentionKinds kinds = {};  ///< to compute in addition to the attention of the search
  LongLines long_lines = LongLines::kTruncate;
  std::filesystem::path prefixes;  ///< one prefix per input line, "" for none; empty: no prefixes
  OutputTerms terms = {};
  /// Replace unknown pieces of translations by linked source words (copy_unknown_words()). Needs
  /// search.keep_attention. Unset: they stay.
  std::optional<LinkChoice> copy_unknown = {};
  /// The share of the input to translate. With a shard, the blocks depend only on the text. Unset:
  /// translate all lines, and end a block early if no further input is ready.
  std::optional<LineShard> shard = {};
  int64_t blocks_done = 0;  ///< leading blocks of the shard to skip
  ReportProgress report = {};
};

/// Lines of the input that are translated together.
struct InputBlock {
  int64_t number = 0;  ///< from 0
  int64_t lines = 0;
  int64_t end_line = 0;   ///< number of input lines up to its end
  uint64_t checksum = 0;  ///< CRC-32 of these lines, each with LF, their prefixes and constraints
};

/// An input line with its translations: at least one, best first. An empty or skipped line has one
/// empty translation without attention.
struct TranslatedLine {
  const SourceLine& source;
  const std::vector<Translation>& translations;
};

/// Receives the translated lines in the order of the input.
class TranslationSink {
 public:
  virtual ~TranslationSink() = default;
  virtual void add(const TranslatedLine& line) = 0;
  /// Called, if options.shard is set, when all lines of a block have been added.
  virtual void end_block(const InputBlock& /*block*/) {}
  /// Called when one of the blocks that options.blocks_done skips has been read.
  virtual void skip_block(const InputBlock& /*block*/) {}
  /// Makes the added lines visible; the next ones may take a while.
  virtual void flush() {}
};

/// Counts for the log.
struct TranslatedCount {
  int64_t lines = 0;
  int64_t cut = 0;              ///< best translations cut at the length limit
  int64_t input_lines = 0;      ///< lines of the whole input
  uint64_t input_checksum = 0;  ///< as InputBlock; only with options.shard
};

/// Translates every line of `input` in order. Reads at most 20 batches ahead per CPU thread, to
/// batch lines of similar length, and only input that is ready, so that a terminal gets its answer
/// line by line. If there are enough batches for all threads, each batch is translated by one
/// thread; the result does not depend on the number of threads. Throws DataError if the number of
/// prefixes or constraints differs from the number of lines, for malformed constraints, and Stopped
/// after a signal, between two steps of a search.
TranslatedCount translate_lines(LineReader& input, const Translator& translator,
                                const TranslateLinesOptions& options, TranslationSink& sink);

/// The same for texts from any source; options.prefixes is not read.
TranslatedCount translate_lines(LineSource& source, const Translator& translator,
                                const TranslateLinesOptions& options, TranslationSink& sink);

/// The best translation of every line of a file, for scoring.
[[nodiscard]] std::vector<std::string> translate_file(const std::filesystem::path& path,
                                                      const Translator& translator,
                                                      const TranslateLinesOptions& options);

}  // namespace attend::app
