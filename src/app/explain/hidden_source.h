#pragma once
#include <torch/types.h>

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/named_enum.h"
#include "model/seq2seq.h"
#include "text/vocabulary.h"

namespace attend::app {

/// How words of the source are hidden: their pieces are left out, or stay with embeddings of 0.
enum class Hiding { deleted, masked };

/// A pair in token ids, with the pieces of each source word.
struct ExplainedPair {
  std::vector<text::TokenId> source;            ///< without kEos
  std::vector<text::TokenId> target;            ///< without kBos and kEos
  std::vector<std::vector<std::size_t>> words;  ///< positions in `source`; none is empty
};

/// True for the words to hide; one value per source word.
using HiddenWords = std::vector<bool>;

/// Computes the predictions of a model along a given target with words of the source hidden. All
/// requests are made before compute(), so that equal ones are computed once and all in batches.
class HiddenSource {
 public:
  /// Borrows all arguments. `decisions`: the tokens whose probabilities are wanted, one for each
  /// target position, the end included. `before`: the probabilities of all tokens with the whole
  /// source, [T + 1, V] float64.
  HiddenSource(const model::Seq2Seq& model, const ExplainedPair& pair,
               std::span<const text::TokenId> decisions, const torch::Tensor& before);

  /// Requests prediction() at target position `position`.
  void request(const HiddenWords& hidden, Hiding how, std::size_t position);
  /// Computes all requests.
  void compute();

  struct Prediction {
    double decision = 0.0;         ///< probability of the decision
    double total_variation = 0.0;  ///< distance from the prediction with the whole source
  };
  /// Requires: request() with the same arguments, then compute().
  [[nodiscard]] Prediction prediction(const HiddenWords& hidden, Hiding how,
                                      std::size_t position) const;

 private:
  using Key = std::pair<Hiding, HiddenWords>;
  using ByPosition = std::map<std::size_t, Prediction>;
  using Entry = std::pair<const Key, ByPosition>;

  [[nodiscard]] std::vector<text::TokenId> source_of(const Key& key) const;
  [[nodiscard]] model::Encoded encoded(std::span<Entry* const> entries) const;
  void compute(std::span<Entry* const> entries);

  const model::Seq2Seq& model_;
  const ExplainedPair& pair_;
  std::span<const text::TokenId> decisions_;
  const torch::Tensor& before_;
  std::map<Key, ByPosition> entries_;
};

}  // namespace attend::app
