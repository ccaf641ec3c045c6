#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "app/attention/sentence_attention.h"
#include "app/model/loaded_model.h"
#include "app/translate/line_meter.h"
#include "core/first_few.h"
#include "data/batch.h"
#include "data/pair_reader.h"
#include "decode/attention/attention_maps.h"
#include "decode/forced/forced.h"
#include "decode/length_batches.h"

namespace attend::app {

/// A sentence pair as the model reads it, and how the model sees it. A text beyond 16 KiB that was
/// cut ends with the word of its last piece.
struct ForcedPair {
  int64_t id = 0;  ///< from 0
  TokenizedLine source;
  TokenizedLine target;
  decode::ForcedDecoding forced;
  decode::AttentionMaps maps;  ///< of the kinds asked for
};

/// Pairs that a model takes together.
struct PairBlock {
  data::SentenceBatch source;                       ///< kEos at the end
  std::vector<std::vector<text::TokenId>> targets;  ///< without kBos and kEos
  std::vector<int64_t> ids;                         ///< ForcedPair::id of each
};

/// Gives a matrix for each pair of a block, in the form of ForcedDecoding::attention.
using MatrixSource =
    std::function<std::vector<torch::Tensor>(const model::Seq2Seq&, const PairBlock&)>;

struct ForceOptions {
  decode::BatchSize batch = {};  ///< pairs decoded together; in tokens the longer side counts
  bool keep_attention = false;   ///< whether forced.attention is wanted
  bool whole_lines = false;      ///< keep the pieces beyond data.max_length
  MatrixSource matrices = {};    ///< fills forced.attention in place of the model's attention
  std::optional<decode::CrossMap> map = {};  ///< what is wanted as forced.attention; unset: what
                                             ///< the model shows
  decode::AttentionKinds kinds = {};         ///< of ForcedPair::maps
  ReportProgress report = {};                ///< what force_pairs() calls
};

/// The next `most` pairs, or those that are left. Throws DataError for files of different length.
[[nodiscard]] std::vector<data::LinePair> read_pairs(data::PairReader& reader, int64_t most);

/// Decodes pairs by force. Unless whole_lines, a side longer than data.max_length pieces is cut
/// there, with a warning that names the line.
class PairForcer {
 public:
  /// Borrows the model.
  PairForcer(const LoadedModel& model, ForceOptions options);

  /// The pairs in their order; those of similar length are decoded together. Ids count up from
  /// `first_id`. Throws Stopped after a signal.
  [[nodiscard]] std::vector<ForcedPair> force(std::span<const data::LinePair> lines,
                                              int64_t first_id);

  /// Logs how many pairs were cut, if that was too often to name each.
  void warn_about_cuts() const;

 private:
  [[nodiscard]] ForcedPair prepare(const data::LinePair& lines, int64_t id);
  /// What of a line is cut into pieces: not all of a very long one of which most is left out.
  [[nodiscard]] std::string_view needed_of(const std::string& line,
                                           const text::Tokenizer& tokenizer) const;
  /// `counted`: there are no more than these.
  void warn_about_length(int64_t pieces, bool counted, int64_t id);
  void decode(std::vector<ForcedPair>& pairs, const std::vector<std::size_t>& batch) const;
  void add_maps(const PairBlock& block, std::vector<ForcedPair>& pairs,
                const std::vector<std::size_t>& batch) const;

  const LoadedModel& model_;
  ForceOptions options_;
  FirstFew cut_pairs_;
};

/// Decodes all pairs by force, reading 20 batches ahead, and hands them to `take` in their order.
/// Throws DataError for files of different length, Stopped after a signal.
void force_pairs(data::PairReader& reader, const LoadedModel& model, const ForceOptions& options,
                 const std::function<void(const ForcedPair&)>& take);

}  // namespace attend::app
