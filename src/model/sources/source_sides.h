#pragma once
#include <torch/types.h>

#include <vector>

#include "data/batch.h"
#include "nn/indexed_rows.h"

namespace attend::model {

/// Entry [k][l] has a value for each position of source k and each of source l: [B, S_k, S_l], or
/// [B, 1, S_l] if all positions of source k share them. An undefined entry means zeros.
using SideTable = std::vector<std::vector<torch::Tensor>>;

/// The positions of each source in examples that concatenate K sources with their end symbols.
class SourceSides {
 public:
  /// Throws std::logic_error unless every row has K end symbols.
  SourceSides(const data::SentenceBatch& joined, int64_t sources);

  [[nodiscard]] std::size_t count() const { return sides_.size(); }
  /// Source k (from 0) as a batch of its own.
  [[nodiscard]] const data::SentenceBatch& side(std::size_t k) const { return sides_.at(k); }
  /// Positions of source k out of x [B, S, *]: [B, S_k, *]. Values beyond its end are meaningless.
  [[nodiscard]] nn::IndexedRows of_side(const nn::IndexedRows& x, std::size_t k) const;
  /// Inverse of of_side(): joins x_k [B, S_k, C] of all sources to [B, S, C], zero on padding.
  [[nodiscard]] torch::Tensor joined(const std::vector<torch::Tensor>& x) const;
  /// Joins the entries of a table to [B, S, S]. Requires: at least one defined entry.
  [[nodiscard]] torch::Tensor joined(const SideTable& table) const;
  /// [B, K, L] int64: the positions of each source, padded with S.
  [[nodiscard]] torch::Tensor columns() const;

 private:
  /// Row k of a table with all columns, [B, S_k, S_1 + ... + S_K], in the type of `like`.
  [[nodiscard]] torch::Tensor row_of(const SideTable& table, std::size_t k,
                                     const torch::Tensor& like) const;

  int64_t positions_;   // S
  torch::Tensor mask_;  // [B, S]
  std::vector<data::SentenceBatch> sides_;
  std::vector<torch::Tensor> starts_;  // [B, 1] int64: the first position of each source
  torch::Tensor number_;               // [B, S] int64: the source of each position
};

}  // namespace attend::model
