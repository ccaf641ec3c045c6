#include "decode/step/seq2seq_step_model.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/option_name.h"
#include "decode/scoring/candidates.h"
#include "model/output_layer.h"

namespace attend::decode {
namespace {

class Seq2SeqSession final : public StepSession {
 public:
  Seq2SeqSession(const model::Seq2Seq& model, const nn::Execution& execution,
                 const data::SentenceBatch& source)
      : model_(model), execution_(execution) {
    execution_.device_path = nn::execution().device_path;
    if (execution_.packed != nullptr && execution_.words == nullptr) {
      words_.emplace(model.target_vocabulary());
      execution_.words = &*words_;
    }
    const nn::ExecutionScope scope(execution_);
    const torch::NoGradGuard no_gradients;
    model::Encoded encoded = model.encode(source);
    memories_ =
        model.steps_are_fused() ? model::shared(encoded.memories) : std::move(encoded.memories);
    state_ = std::move(encoded.start);
  }

  StepScores step(const torch::Tensor& tokens) override {
    const torch::NoGradGuard no_gradients;
    auto step = forced_columns_.defined() ? forced_step(tokens) : free_step(tokens);
    state_ = std::move(step.state);
    return {std::move(step.logits), std::move(step.weights), std::move(step.heads)};
  }

  void select(const RowSelection& rows) override {
    state_ = state_.reorder(rows.parents);
    if (rows.same_sentences) return;
    memories_ = model::select(memories_, rows.parents);
    if (scored_) scored_->own.select(rows.parents);
  }

  void force_attention(const torch::Tensor& columns) override { forced_columns_ = columns; }

  void leave_out_attention() override { execution_.shown_weights = false; }

  void score_only(const Candidates& candidates) override {
    const nn::ExecutionScope scope(execution_);
    const torch::NoGradGuard no_gradients;
    scored_ = model_.output_rows(candidates.ids.to(model_.device()),
                                 own_columns(candidates, model_.device()));
  }

 private:
  [[nodiscard]] model::Predicted free_step(const torch::Tensor& tokens) const {
    const nn::ExecutionScope scope(execution_);
    return model_.step(tokens, memories_, state_, scored());
  }

  // Kernels read the lengths of memories, but no masks.
  [[nodiscard]] model::Predicted forced_step(const torch::Tensor& tokens) {
    const nn::ExecutionScope scope(nn::Execution{.fused = false});
    return model_.step(tokens, model::only(memories_, std::exchange(forced_columns_, {})), state_,
                       scored());
  }

  [[nodiscard]] const model::OutputRows* scored() const { return scored_ ? &*scored_ : nullptr; }

  const model::Seq2Seq& model_;
  nn::Execution execution_;
  torch::Tensor forced_columns_;  // [N]: source position of the next step; undefined: not forced
  std::optional<nn::RowCache> words_;
  std::optional<model::OutputRows> scored_;  // empty: the whole vocabulary
  model::Memories memories_;
  model::DecoderState state_;
};

}  // namespace

StepExecution step_execution(const DecodingOptions& options, torch::Device device) {
  StepExecution execution;
  execution.fused = options.kernels == KernelKind::fused;
  if (!execution.fused && options.precision != Precision::f32) {
    throw UsageError(
        fmt::format("decoding in {} needs fused kernels; use {} f32, or leave out {} plain "
                    "(decoding.kernels)",
                    options.precision, option_name("precision"), option_name("kernels")));
  }
  if (options.precision == Precision::bf16) execution.weights = kernels::WeightType::bf16;
  if (!device.is_cpu()) return execution;
  if (options.precision == Precision::int8) execution.weights = kernels::WeightType::int8;
  if (kernels::has_packed(execution.weights)) return execution;
  throw UsageError(fmt::format(
      "decoding in {0} needs a CPU with AVX512_BF16 instructions (see /proc/cpuinfo) and an "
      "ATTEND_MAX_CPU that allows them; use {1} f32 or int8",
      options.precision, option_name("precision")));
}

Seq2SeqStepModel::Seq2SeqStepModel(const model::Seq2Seq& model, const StepExecution& execution)
    : model_(model) {
  if (model.is_training()) throw std::logic_error("decoding with a model in training mode");
  execution_.fused = execution.fused;
  if (!device().is_cpu()) {
    execution_.bf16 = execution.weights == kernels::WeightType::bf16;
    if (execution_.bf16) rounded_ = std::make_unique<nn::RoundedWeights>(model.parameters());
    execution_.rounded = rounded_.get();
    return;
  }
  if (execution.fused) {
    packed_ = std::make_unique<nn::PackedWeights>(execution.weights);
    execution_.packed = packed_.get();
  }
  // Shared if a word's row does not depend on the other words it is computed with.
  if (execution.fused && kernels::rows_are_independent(execution.weights)) {
    words_ = std::make_unique<nn::RowCache>(model.target_vocabulary());
    execution_.words = words_.get();
  }
}

std::unique_ptr<StepSession> Seq2SeqStepModel::start(
    std::span<const data::SentenceBatch> sources) const {
  return std::make_unique<Seq2SeqSession>(model_, execution_, sources.front().to(device()));
}

torch::Device Seq2SeqStepModel::device() const {
  return model_.device();
}

}  // namespace attend::decode
