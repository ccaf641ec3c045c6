#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/model/loaded_model.h"
#include "data/batch.h"
#include "data/parallel_corpus.h"
#include "server/nearest/vector_rows.h"

namespace attend::server {

/// Vectors of sentences: the mean encoder states, including that of kEos, normalised to length 1.
/// [B, C], float, on the CPU.
[[nodiscard]] torch::Tensor sentence_vectors(const model::Seq2Seq& model,
                                             const data::SentenceBatch& source);

/// A training pair and the similarity of its source.
struct Neighbor {
  int64_t line = 0;         ///< in the training text, from 1, counted over all files
  double similarity = 0.0;  ///< cosine
  std::vector<text::TokenId> source;
  std::vector<text::TokenId> target;
};

/// An index of the source sentences of a training text by their vectors. It takes at most 256 MiB,
/// C + 4 bytes per sentence; the text itself stays in a file. If a text has more sentences than
/// fit, only every second, third, ... is indexed.
class SentenceIndex {
 public:
  /// Encodes all sentences. Keeps a reference to the model. Calls `go_on(done, total)` before every
  /// batch of 64 sentences, and returns nullopt when that returns false. Throws NumericError for
  /// states that are not finite.
  static std::optional<SentenceIndex> build(const app::LoadedModel& model,
                                            data::ParallelCorpus corpus,
                                            const std::function<bool(int64_t, int64_t)>& go_on);

  /// Number of indexed sentences, and of sentences in the text.
  [[nodiscard]] int64_t size() const { return rows_.count(); }
  [[nodiscard]] int64_t total() const { return corpus_.plain_size(); }
  /// The `most` nearest sentences, best first. First selects four times as many (at least 64) by
  /// their 8-bit vectors, then encodes these again and ranks them by their exact vectors. `source`:
  /// one sentence, as for sentence_vectors().
  [[nodiscard]] std::vector<Neighbor> nearest(const data::SentenceBatch& source,
                                              int64_t most) const;

 private:
  SentenceIndex(const app::LoadedModel& model, data::ParallelCorpus corpus, int64_t every,
                int64_t components)
      : model_(model), corpus_(std::move(corpus)), every_(every), rows_(components) {}

  [[nodiscard]] torch::Tensor encode(const std::vector<int64_t>& examples) const;
  bool add(const std::vector<int64_t>& examples, const std::function<bool(int64_t)>& go_on);

  const app::LoadedModel& model_;
  data::ParallelCorpus corpus_;
  int64_t every_;  // distance in examples between rows
  VectorRows rows_;
};

}  // namespace attend::server
