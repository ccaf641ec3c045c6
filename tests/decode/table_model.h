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

/// A model whose every answer can be looked up: functions of a sentence (its source ids with kEos)
/// and of the tokens so far (without kBos). Search can thus be tested against an oracle that calls
/// the same functions.
struct Table {
  int64_t vocabulary = 6;
  /// p(next token), [V].
  std::function<std::vector<double>(const Tokens& source, const Tokens& so_far)> probabilities;
  /// Attention, one weight per source token; empty function: none.
  std::function<std::vector<float>(const Tokens& source, const Tokens& so_far)> attention;
  int64_t heads = 1;
};

/// Probabilities and attention that look random but depend on nothing but source and tokens so far.
[[nodiscard]] Table scrambled_table(int64_t vocabulary, uint64_t seed);

/// Runs a Table, and notes how many rows each step had.
class TableModel final : public decode::StepModel {
 public:
  explicit TableModel(Table table) : table_(std::move(table)) {}

  [[nodiscard]] std::unique_ptr<decode::StepSession> start(
      std::span<const data::SentenceBatch> sources) const override;
  [[nodiscard]] torch::Device device() const override { return torch::kCPU; }

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] const std::vector<int64_t>& rows_per_step() const { return rows_per_step_; }
  /// How many sessions were told to leave it out, which they do.
  [[nodiscard]] int sessions_without_attention() const { return sessions_without_attention_; }

 private:
  friend class TableSession;
  Table table_;
  mutable std::vector<int64_t> rows_per_step_;
  mutable int sessions_without_attention_ = 0;
};

/// Sources of the given numbers of tokens (kEos comes on top), all different.
[[nodiscard]] std::vector<Tokens> make_sources(std::initializer_list<int64_t> lengths);

/// A batch of them.
[[nodiscard]] std::vector<decode::SearchSentence> sentences_of(const std::vector<Tokens>& sources);
/// The same with each source twice, for an ensemble of two models.
[[nodiscard]] std::vector<decode::SearchSentence> twice(
    std::vector<decode::SearchSentence> sentences);

/// The sum of the log-probabilities of `tokens` and kEos.
[[nodiscard]] double log_prob_of(const Table& table, const Tokens& source, const Tokens& tokens);

/// Whether a run of `size` tokens stands twice in them.
[[nodiscard]] bool has_repeat(const Tokens& tokens, int64_t size);

}  // namespace attend::test
