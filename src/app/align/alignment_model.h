#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "align/links.h"
#include "app/align/alignment_method.h"
#include "app/align/forced_pairs.h"
#include "app/model/loaded_model.h"
#include "app/translate/batch_overrides.h"
#include "decode/attention/saliency.h"
#include "draw/attention_page.h"

namespace attend::app {

/// How to read alignments from a model.
struct AlignmentReading {
  AlignmentMethod method = alignment_method("attention");
  decode::SaliencyOptions saliency;  ///< its seed is not used
  std::optional<int64_t> seed;       ///< seed of saliency; unset: the config's
  std::optional<float> threshold;    ///< weight that makes a link; unset: link the largest
  std::optional<std::size_t> shift;  ///< unset: default_shift() of the model
  BatchOverrides batch;
  std::optional<decode::CrossMap> map;  ///< for methods by_steps; unset: default_map()
  std::string kinds;  ///< list, as for asked_kinds(), of further attention to show; empty: none
};

/// A model that aligns sentence pairs.
class AlignmentModel {
 public:
  /// Throws UsageError for a batch size out of range, and for a map or kinds that the model does
  /// not have.
  AlignmentModel(LoadedModel model, const AlignmentReading& reading);
  AlignmentModel(const AlignmentModel&) = delete;
  AlignmentModel& operator=(const AlignmentModel&) = delete;

  /// Throws UsageError, naming `option`, if the method gives no weights with this model.
  void require_weights(const std::string& option) const;

  [[nodiscard]] const LoadedModel& loaded() const { return model_; }
  /// Number of pairs to pass to force() at once.
  [[nodiscard]] int64_t window() const;

  /// Like PairForcer::force().
  [[nodiscard]] std::vector<ForcedPair> force(std::span<const data::LinePair> lines,
                                              int64_t first_id);
  void warn_about_cuts() const { forcer_.warn_about_cuts(); }

  /// The weights of a pair that force() returned.
  [[nodiscard]] align::AttentionMatrix matrix(const ForcedPair& pair, align::Level level) const;
  [[nodiscard]] align::Links links(const ForcedPair& pair, align::Level level) const;
  [[nodiscard]] std::vector<align::AttentionKind> kinds(const ForcedPair& pair,
                                                        align::Level level) const;
  /// The pair for an HTML page: with its score, without links.
  [[nodiscard]] draw::PageReading page_reading(const ForcedPair& pair) const;

 private:
  LoadedModel model_;
  AlignmentReading reading_;
  std::size_t shift_;
  decode::BatchSize batch_;
  PairForcer forcer_;
};

}  // namespace attend::app
