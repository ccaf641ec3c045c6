#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "app/attention/sentence_attention.h"
#include "app/lines/line_meter.h"
#include "app/model/loaded_model.h"
#include "core/first_few.h"
#include "data/batch.h"
#include "data/pair_protection.h"
#include "data/pair_reader.h"
#include "decode/attention/attention_maps.h"
#include "decode/forced/forced.h"
#include "decode/length_batches.h"

namespace attend::app {

/// A sentence pair in pieces, after forced decoding. If the pair was cut, a text of more than 16
/// KiB ends with the word of its last piece.
struct ForcedPair {
  int64_t id = 0;  ///< from 0
  TokenizedLine source;
  TokenizedLine target;
  decode::ForcedDecoding forced;
  decode::AttentionMaps maps;  ///< of the requested kinds
};

/// Pairs that are decoded together.
struct PairBlock {
  data::SentenceBatch source;                       ///< kEos at the end
  std::vector<std::vector<text::TokenId>> targets;  ///< without kBos and kEos
  std::vector<int64_t> ids;                         ///< ForcedPair::id of each
};

/// Returns a matrix for each pair of a block, shaped like ForcedDecoding::attention.
using MatrixSource =
    std::function<std::vector<torch::Tensor>(const model::Seq2Seq&, const PairBlock&)>;

/// The most pieces of a side of a whole line; more would take hundreds of megabytes.
inline constexpr int64_t kMostWholePieces = 20'000;

struct ForceOptions {
  decode::BatchSize batch = {};  ///< tokens are counted on the longer side
  bool keep_attention = false;   ///< fill forced.attention
  bool whole_lines = false;      ///< keep the pieces beyond data.max_length, up to kMostWholePieces
  MatrixSource matrices = {};    ///< computes forced.attention; empty: it is the model's
  std::optional<decode::CrossMap> map = {};  ///< the map for forced.attention; unset: the one that
                                             ///< the model shows
  decode::AttentionKinds kinds = {};         ///< kinds in ForcedPair::maps
  ReportProgress report = {};                ///< called by force_pairs()
};

/// Reads the next pairs, `most` or fewer. Throws DataError for files of different length.
[[nodiscard]] std::vector<data::LinePair> read_pairs(data::PairReader& reader, int64_t most);

/// Decodes pairs with their given targets (forced decoding). What data.protect names is read as
/// placeholders where both sides have it, as in training. Cuts a side longer than
/// data.max_length pieces with a warning that names the line. With options.whole_lines it cuts
/// nothing, and throws DataError above kMostWholePieces.
class PairForcer {
 public:
  /// Borrows the model.
  PairForcer(const LoadedModel& model, ForceOptions options);

  /// Returns the pairs in the order given, with ids from `first_id`. Pairs of similar length are
  /// decoded together. Throws Stopped after a signal.
  [[nodiscard]] std::vector<ForcedPair> force(std::span<const data::LinePair> lines,
                                              int64_t first_id);

  /// Logs the number of cut pairs if there were too many to name each.
  void warn_about_cuts() const;

 private:
  /// The most pieces of a side that are read.
  [[nodiscard]] int64_t limit() const;
  [[noreturn]] static void refuse_whole_line(int64_t id);
  [[nodiscard]] ForcedPair prepare(const data::LinePair& lines, int64_t id);
  /// A beginning of the line that is long enough to yield all pieces within the limit.
  [[nodiscard]] std::string_view needed_of(const std::string& line,
                                           const text::Tokenizer& tokenizer) const;
  /// `counted`: `pieces` is the exact number, not a lower bound.
  void warn_about_length(int64_t pieces, bool counted, int64_t id);
  void decode(std::vector<ForcedPair>& pairs, const std::vector<std::size_t>& batch) const;
  void add_maps(const PairBlock& block, std::vector<ForcedPair>& pairs,
                const std::vector<std::size_t>& batch) const;

  const LoadedModel& model_;
  ForceOptions options_;
  data::PairProtection protection_;
  FirstFew cut_pairs_;
};

/// Force-decodes all pairs, reading 20 batches ahead, and passes them to `take` in order. Throws
/// DataError for files of different length, Stopped after a signal.
void force_pairs(data::PairReader& reader, const LoadedModel& model, const ForceOptions& options,
                 const std::function<void(const ForcedPair&)>& take);

}  // namespace attend::app
