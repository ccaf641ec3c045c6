#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decode/search/search.h"
#include "decode/step/step_model.h"

namespace attend::test {

using Tokens = std::vector<text::TokenId>;

/// A model given by functions of a sentence (its source ids with kEos) and of the tokens so far
/// (without kBos). An oracle that calls the same functions can check a search.
struct Table {
  int64_t vocabulary = 6;
  /// p(next token), [V].
  std::function<std::vector<double>(const Tokens& source, const Tokens& so_far)> probabilities;
  /// Attention, one weight per source token; empty function: none.
  std::function<std::vector<float>(const Tokens& source, const Tokens& so_far)> attention;
  int64_t heads = 1;
};

/// Pseudo-random probabilities and attention that depend only on the source and the tokens so far.
[[nodiscard]] Table scrambled_table(int64_t vocabulary, uint64_t seed);

/// Runs a Table and records the number of rows of each step.
class TableModel final : public decode::StepModel {
 public:
  explicit TableModel(Table table) : table_(std::move(table)) {}

  [[nodiscard]] std::unique_ptr<decode::StepSession> start(
      std::span<const data::SentenceBatch> sources) const override;
  [[nodiscard]] torch::Device device() const override { return torch::kCPU; }

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] const std::vector<int64_t>& rows_per_step() const { return rows_per_step_; }
  /// The number of sessions that were told to leave out attention.
  [[nodiscard]] int sessions_without_attention() const { return sessions_without_attention_; }

 private:
  friend class TableSession;
  Table table_;
  mutable std::vector<int64_t> rows_per_step_;
  mutable int sessions_without_attention_ = 0;
};

/// Sources of the given lengths (without kEos), all different.
[[nodiscard]] std::vector<Tokens> make_sources(std::initializer_list<int64_t> lengths);

/// The sentences of these sources; sentence i has random stream i.
[[nodiscard]] std::vector<decode::SearchSentence> sentences_of(const std::vector<Tokens>& sources);
/// The same with each source twice, for an ensemble of two models.
[[nodiscard]] std::vector<decode::SearchSentence> twice(
    std::vector<decode::SearchSentence> sentences);

/// The sum of the log-probabilities of `tokens` and kEos.
[[nodiscard]] double log_prob_of(const Table& table, const Tokens& source, const Tokens& tokens);

/// True if a run of `size` tokens occurs twice in `tokens`.
[[nodiscard]] bool has_repeat(const Tokens& tokens, int64_t size);

}  // namespace attend::test
