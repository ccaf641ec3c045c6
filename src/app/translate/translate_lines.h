#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/translate/line_meter.h"
#include "app/translate/line_shard.h"
#include "app/translate/minimum_risk.h"
#include "app/translate/translator.h"
#include "core/file.h"
#include "decode/options.h"

namespace attend::app {

/// What becomes of a line longer than data.max_length pieces. Both warn.
enum class LongLines {
  kTruncate,  ///< its beginning is translated
  kSkip,      ///< it gets an empty translation
};

struct TranslateLinesOptions {
  decode::SearchOptions search;
  /// What chooses among the search.n_best translations of a line; unset: their own order.
  std::optional<MinimumRiskOptions> risk = {};
  decode::AttentionKinds kinds = {};  ///< that are wanted beside the attention of the search
  LongLines long_lines = LongLines::kTruncate;
  std::filesystem::path prefixes;  ///< a line for each input line, "" for none; empty: no prefixes
  /// The part of the input that is translated: by blocks of lines that follow from the input alone,
  /// however it arrives. Unset: all of it, with an answer as soon as no more is there.
  std::optional<LineShard> shard = {};
  int64_t blocks_done = 0;  ///< first blocks of the shard that are not translated again
  ReportProgress report = {};
};

/// Lines of the input that are translated together.
struct InputBlock {
  int64_t number = 0;  ///< from 0
  int64_t lines = 0;
  int64_t end_line = 0;   ///< lines of the input up to its end
  uint64_t checksum = 0;  ///< CRC-32 of these, each with LF, and their prefixes
};

/// An input line with its translations: at least one, best first. An empty or skipped line has one
/// empty translation without attention.
struct TranslatedLine {
  const SourceLine& source;
  const std::vector<Translation>& translations;
};

/// Takes the lines as they come, in the order of the input.
class TranslationSink {
 public:
  virtual ~TranslationSink() = default;
  virtual void add(const TranslatedLine& line) = 0;
  /// All lines of a block of options.shard were added.
  virtual void end_block(const InputBlock& /*block*/) {}
  /// One of options.blocks_done was read.
  virtual void skip_block(const InputBlock& /*block*/) {}
  /// There may be nothing more for a while: what was added should become visible.
  virtual void flush() {}
};

/// What was done, for the log.
struct TranslatedCount {
  int64_t lines = 0;
  int64_t cut = 0;              ///< best translations that ran into the length limit
  int64_t input_lines = 0;      ///< of the whole input, with options.shard
  uint64_t input_checksum = 0;  ///< as InputBlock
};

/// Translates every line of `input`, one result for each, in order. Reads at most 20 batches ahead
/// to put lines of similar length together, 20 for each thread of the CPU, and no further than
/// there is input ready, so that a terminal gets its answer line by line. With enough batches for
/// all threads each is translated by one thread; what comes out does not depend on how many there
/// are. Throws DataError if the prefixes are fewer or more than the lines, Stopped after a signal,
/// between two steps of a search.
TranslatedCount translate_lines(LineReader& input, const Translator& translator,
                                const TranslateLinesOptions& options, TranslationSink& sink);

/// The best translation of every line of a file, for scoring.
[[nodiscard]] std::vector<std::string> translate_file(const std::filesystem::path& path,
                                                      const Translator& translator,
                                                      const TranslateLinesOptions& options);

}  // namespace attend::app
