#pragma once
#include <memory>
#include <span>

#include "decode/options.h"
#include "decode/step/step_model.h"
#include "model/seq2seq.h"
#include "nn/device/rounded_weights.h"
#include "nn/execution.h"
#include "nn/packed_weights.h"
#include "nn/row_cache.h"

namespace attend::decode {

/// How steps are computed.
struct StepExecution {
  bool fused = true;  ///< fused kernels and packed weights; false: plain LibTorch in f32
  kernels::WeightType weights = kernels::WeightType::f32;
};

/// Follows the options for models on `device`, where int8 is f32 on a GPU. Throws UsageError if
/// this program or CPU lacks the precision, or if the kernels are plain and the precision is not
/// f32.
[[nodiscard]] StepExecution step_execution(const DecodingOptions& options,
                                           torch::Device device = torch::kCPU);

/// Runs a borrowed Seq2Seq step by step. Its weights must not change any more: they are packed on
/// first use, once for all sessions, which borrow them. Each session owns the state that changes
/// while it decodes. Several threads may decode at once, each with its own sessions, and get the
/// same bits as one thread alone.
class Seq2SeqStepModel final : public StepModel {
 public:
  /// Throws std::logic_error if `model` is in training mode. Requires: `model` outlives this
  /// object, and on the CPU kernels::has_packed(execution.weights).
  explicit Seq2SeqStepModel(const model::Seq2Seq& model, const StepExecution& execution = {});

  [[nodiscard]] std::unique_ptr<StepSession> start(
      std::span<const data::SentenceBatch> sources) const override;
  [[nodiscard]] torch::Device device() const override;

  /// The execution of the steps, for whole sequences with the same weights. Its caches are
  /// borrowed.
  [[nodiscard]] nn::Execution execution() const { return execution_; }

 private:
  const model::Seq2Seq& model_;
  std::unique_ptr<nn::PackedWeights> packed_;    // null on a GPU
  std::unique_ptr<nn::RoundedWeights> rounded_;  // null unless a GPU computes in bf16
  std::unique_ptr<nn::RowCache> words_;          // null: each session has its own
  nn::Execution execution_;
};

}  // namespace attend::decode
