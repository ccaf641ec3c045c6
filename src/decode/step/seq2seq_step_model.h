#pragma once
#include <memory>
#include <span>

#include "decode/options.h"
#include "decode/step/step_model.h"
#include "model/seq2seq.h"
#include "nn/execution.h"
#include "nn/packed_weights.h"
#include "nn/row_cache.h"

namespace attend::decode {

/// How steps are computed on the CPU.
struct StepExecution {
  bool fused = true;  ///< by fused kernels and packed weights; false: plain LibTorch, in f32
  kernels::WeightType weights = kernels::WeightType::f32;
};

/// As the options say. Throws UsageError if this program or CPU lacks their precision, or plain
/// operations are asked for, which have f32 only.
[[nodiscard]] StepExecution step_execution(const DecodingOptions& options);

/// One Seq2Seq, borrowed, step by step. Its weights must not change any more: they are packed when
/// they are first used, once for all sessions, which borrow from it. Each session owns what changes
/// while it decodes. Any number of threads may decode at once, each with sessions of its own, and
/// get to the last bit what one thread alone gets.
class Seq2SeqStepModel final : public StepModel {
 public:
  /// Throws std::logic_error if `model` is in training mode. Requires: `model` outlives this
  /// object, and kernels::has_packed(execution.weights).
  explicit Seq2SeqStepModel(const model::Seq2Seq& model, const StepExecution& execution = {});

  [[nodiscard]] std::unique_ptr<StepSession> start(
      std::span<const data::SentenceBatch> sources) const override;
  [[nodiscard]] torch::Device device() const override;

  /// How steps are computed, for whole sequences with the same weights. Its caches are borrowed.
  [[nodiscard]] nn::Execution execution() const { return execution_; }

 private:
  const model::Seq2Seq& model_;
  std::unique_ptr<nn::PackedWeights> packed_;
  std::unique_ptr<nn::RowCache> words_;  // null: each session has its own
  nn::Execution execution_;
};

}  // namespace attend::decode
