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

/// What a sentence is to the encoder: the mean of its states over the sentence, kEos among them, of
/// length 1. [B, C] float on the CPU.
[[nodiscard]] torch::Tensor sentence_vectors(const model::Seq2Seq& model,
                                             const data::SentenceBatch& source);

/// A training pair and how close its source is.
struct Neighbor {
  int64_t line = 0;         ///< of the training text, from 1, counted over all files
  double similarity = 0.0;  ///< cosine
  std::vector<text::TokenId> source;
  std::vector<text::TokenId> target;
};

/// The sources of a training text by their vectors. Takes 256 MiB at most, C + 4 bytes a sentence,
/// beside the text itself, which lies in a file; of a text that has more sentences than fit, every
/// second, third, ... is taken.
class SentenceIndex {
 public:
  /// Borrows the model. Encodes everything; `go_on(done, total)` is asked before every batch of
  /// 64 and ends it, with nothing, where it says false. Throws NumericError for states that are
  /// not finite.
  static std::optional<SentenceIndex> build(const app::LoadedModel& model,
                                            data::ParallelCorpus corpus,
                                            const std::function<bool(int64_t, int64_t)>& go_on);

  /// Sentences in it, and those of the text.
  [[nodiscard]] int64_t size() const { return rows_.count(); }
  [[nodiscard]] int64_t total() const { return corpus_.size(); }
  /// The `most` nearest, best first. Bytes choose four times as many, at least 64, and their
  /// vectors, computed anew, rank them. `source`: one sentence, as sentence_vectors() takes it.
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
  int64_t every_;  // examples from one row to the next
  VectorRows rows_;
};

}  // namespace attend::server
